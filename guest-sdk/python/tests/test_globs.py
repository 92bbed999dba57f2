import json
import unittest
from pathlib import Path

from guard_host_policy import glob

TABLE = json.loads((Path(__file__).parents[2] / "globs.json").read_text(encoding="utf-8"))


class Globs(unittest.TestCase):
    def test_patterns_match_what_the_table_says(self) -> None:
        for row in TABLE["matches"]:
            for path in row["yes"]:
                self.assertTrue(glob(row["pattern"], path), f"{row['pattern']} must match {path}")
            for path in row["no"]:
                self.assertFalse(glob(row["pattern"], path), f"{row['pattern']} must not match {path}")

    def test_what_is_no_pattern_is_an_error_that_names_it(self) -> None:
        for pattern in (*TABLE["errors"], "a" * 2000, "é" * 600):
            with self.assertRaises(ValueError) as caught:
                glob(pattern, pattern)
            self.assertIn(f"`{pattern}`", str(caught.exception))

    def test_hostile_patterns_end_soon(self) -> None:
        self.assertFalse(glob("**/a*a*a/" * 100 + "b", "aaaa/" * 2_000))
        self.assertFalse(glob("*a" * 500, "a" * 2_000 + "b"))
