"""Tests of the replay of a fleet: `python -m unittest`.

`GUARD_HOST` names the program, `CALLS` how many calls the comparison has.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from audit_log import Row, rows
from make_log import lines
from verdicts import Call, Said, call_line, change, lots, said

HERE = Path(__file__).parent
GUARD = shutil.which(os.environ.get("GUARD_HOST", "guard-host"))
CALLS = int(os.environ.get("CALLS", "10000"))
ENGINES = ("replay_datafusion.py", "replay_spark.py")

FIRST = '[audit]\nlevel = "all"\n'
SECOND = """
[[policy]]
name = "command-guard"
settings = { lower = ["git-push"], raise = ["rm-recursive-force"], silence = ["publish"] }

[[policy]]
name = "protected-files"
enabled = false

[[policy]]
name = "team"
source = "builtin:rego"
settings-file = "team.rego"
"""
TEAM = """package guard

ask contains msg if {
    input.tool == "Read"
    endswith(input.input.file_path, "README.md")
    msg := "the readme is read aloud only"
}
"""


def log_line(
    operation: str, tool: str = "Bash", action: str = "allow"
) -> dict[str, Any]:
    ts = "2026-11-07T08:09:10.000Z"
    line = {"ts": ts, "tool": tool, "operation": operation, "action": action}
    return line | {"rule": "", "session": "s", "cwd": "/srv/shop", "policy": ""}


ODD = [
    log_line("git push origin \U0001f600 'a\\\\b' \"c\" \t\u2028 é"),
    log_line(f"echo {'x' * 9000}"),
    log_line(f"{'x' * 8189}..."),
    log_line("...", tool="mcp__a__b"),
    log_line("git push", action="ran"),
    log_line("git push", action="refused"),
    log_line("10m", tool="guard-host", action="pause"),
    log_line("oci://a/b 1.0.1", tool="guard-host", action="sync"),
    log_line("git push --token [redacted]"),
    log_line("src/a.rs", tool="Write"),
    log_line('{"b":1,"a":{"d":2.50,"c":[]}}', tool="mcp__x__y"),
    log_line('{"a":{"c":[],"d":2.5},"b":1}', tool="mcp__x__y"),
    log_line("[1]", tool="mcp__x__y"),
    log_line("", tool="Bash"),
    log_line(".", tool="LS"),
    log_line("git push", tool="PowerShell"),
    log_line("", tool=""),
]
DAMAGED = (b"{oops", b'"text"', b"\xff\xfe", b'{"ts": NaN}', b'{"ts":"\\ud800"}', b"  ")


def make_log(path: Path) -> None:
    """A log with lines of each kind, in an order of chance."""
    made = [line.encode() for line in lines(CALLS, 0.2, 20, 30, 1)]
    made += [json.dumps(line).encode() + b"\n" for line in ODD for _ in range(3)]
    made += [line + b"\n" for line in DAMAGED]
    random.Random(1).shuffle(made)
    path.write_bytes(b"".join(made) + b'{"ts":"2026-11-')


def run(*command: str, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = dict(os.environ) | {"PYTHONDONTWRITEBYTECODE": "1"}
    if home is not None:
        env["HOME"] = str(home)
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False)


def script(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, str(HERE / name), *arguments)


def core(result: dict[str, Any]) -> dict[str, Any]:
    """What all three replays say."""
    keys = ("change", "first", "second", "calls", "distinct")
    groups = [{key: one.get(key) for key in keys} for one in result["groups"]]
    # A text or a list is a line of JSON, and no line of a log.
    skipped = {one["reason"]: one["count"] for one in result["skipped"]}
    return {
        "calls": result["calls"],
        "distinct": result["distinct"],
        "skipped": skipped,
        "groups": sorted(groups, key=json.dumps),
    }


def missing() -> str | None:
    """Why the engines cannot be tried; none if they can."""
    if GUARD is None:
        return "there is no `guard-host`"
    for module in ("pyarrow", "datafusion", "pyspark", "pandas"):
        if importlib.util.find_spec(module) is None:
            return f"there is no `{module}`"
    return None if shutil.which("java") else "there is no `java`"


class Lines(unittest.TestCase):
    def row(self, line: bytes) -> Row:
        [found] = rows(io.BytesIO(line), "a.jsonl")
        return found

    def test_a_line_is_a_call_an_event_or_a_problem(self) -> None:
        found = [self.row(json.dumps(line).encode() + b"\n") for line in ODD]
        self.assertEqual([one.problem is None for one in found].count(False), 5)
        self.assertEqual(found[0].day, "2026-11-07")
        self.assertEqual(found[10].input, '{"a":{"c":[],"d":2.5},"b":1}')
        self.assertEqual(found[10].input, found[11].input)
        events = [one for one in found if one.problem is None and one.input is None]
        self.assertEqual(len(events), 5)

    def test_each_damaged_line_is_a_row_with_its_number(self) -> None:
        text = b'{"a":\n\n[]\n' + b"x" * 50 + b'\n{"ts":1,"action":2}\n{"ts"'
        found = list(rows(io.BytesIO(text), "a.jsonl", limit=40))
        told = [(one.line, one.problem) for one in found]
        expected = [
            (1, "no JSON"),
            (3, "no line of the audit log"),
            (4, "longer than 16 MiB"),
            (5, None),
            (6, "cut short"),
        ]
        self.assertEqual(told, expected)


class Verdicts(unittest.TestCase):
    def test_a_change_has_a_direction(self) -> None:
        ask, deny = Said("ask", "a:b"), Said("deny", "a:b")
        self.assertEqual(change(ask, deny), "tightened")
        self.assertEqual(change(deny, ask), "loosened")
        self.assertEqual(change(ask, Said("ask", "a:c")), "other-rule")
        self.assertEqual(change(Said("allow", ""), Said("abstain", "")), "other-rule")
        self.assertIsNone(change(ask, ask))

    def test_what_is_no_verdict_is_refused(self) -> None:
        self.assertEqual(said(b'{"line":1,"error":"x"}'), Said("unreadable", ""))
        for line in (b"", b"[]", b"{}", b'{"outcome":"fine","policy":"","rule":""}'):
            with self.assertRaises(ValueError):
                said(line)

    def test_a_lot_has_few_folders(self) -> None:
        calls = [Call("Bash", "{}", f"/{n // 3}") for n in range(30)]
        cut = list(lots(calls, 1000, 1000, 4))
        self.assertEqual([len(lot) for lot in cut], [12, 12, 6])
        self.assertEqual([call for lot in cut for call in lot], calls)
        self.assertEqual(len(list(lots(calls, 7, 1000, 4))), 5)
        self.assertEqual(
            call_line(calls[0]), b'{"tool": "Bash", "input": {}, "cwd": "/0"}\n'
        )


@unittest.skipIf(missing(), f"skipped, because {missing()}")
class Engines(unittest.TestCase):
    folder: Path
    audit: Path
    log: Path
    told: str
    plain: dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="fleet-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for name, text in (("first", FIRST), ("second", SECOND)):
            config = cls.folder / name / ".config/guard-host"
            config.mkdir(parents=True)
            (config / "guard.toml").write_text(text)
            (config / "team.rego").write_text(TEAM)
        cls.audit = cls.folder / "audit.jsonl"
        make_log(cls.audit)
        cls.log = cls.folder / "log"
        told = script("audit_to_parquet.py", "--out", str(cls.log), str(cls.audit))
        assert told.returncode == 0, told
        cls.told = told.stderr
        assert GUARD is not None
        second = str(cls.folder / "second/.config/guard-host/guard.toml")
        home = cls.folder / "first"
        sides = ("--config", str(home / ".config/guard-host/guard.toml"))
        kept = ("--state", str(home / "state"), "--cache", str(home / "cache"))
        replay = ("replay", "--against", second, "--format", "json", str(cls.audit))
        plain = run(GUARD, *replay, *sides, *kept, home=home)
        assert plain.returncode == 0, plain
        cls.plain = core(json.loads(plain.stdout))

    def engine(
        self, name: str, out: str, *more: str, guard: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        sides: list[str] = []
        for side in ("first", "second"):
            sides += [f"--{side}", str(self.folder / side / ".config/guard-host")]
        program = ["--guard-host", guard or str(GUARD)]
        place = ["--out", str(self.folder / out)]
        return script(name, str(self.log), *sides, *place, *program, *more)

    def result(self, out: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(
            (self.folder / out / "summary.json").read_text()
        )
        return found

    def wrapper(self, name: str, text: str) -> str:
        """A guard-host that does something else when it is asked about calls."""
        path = self.folder / name
        check = f'if [ "$1" = check ]; then\n{text}\nfi\n'
        path.write_text(f"#!/bin/sh\n{check}exec '{GUARD}' \"$@\"\n")
        path.chmod(0o755)
        return str(path)

    def test_all_three_replays_say_the_same(self) -> None:
        kinds = {group["change"] for group in self.plain["groups"]}
        self.assertEqual(kinds, {None, "loosened", "tightened"})
        for problem, count in self.plain["skipped"].items():
            self.assertIn(f"{count} cannot be replayed: ", self.told, problem)
        rows_of_differences = set()
        for name in ENGINES:
            out = f"same-{name}"
            ended = self.engine(name, out, "--fail-on", "loosened")
            self.assertEqual(ended.returncode, 1, ended)
            self.assertEqual(core(self.result(out)), self.plain, name)
            import pyarrow.parquet as pq

            table = pq.read_table(self.folder / out / "differences")
            ids = table.select(["source", "line", "second_outcome"]).to_pylist()
            rows_of_differences.add(
                tuple(sorted((one["line"], one["second_outcome"]) for one in ids))
            )
        groups = [group for group in self.plain["groups"] if group["change"]]
        self.assertEqual(len(rows_of_differences), 1)
        [found] = rows_of_differences
        self.assertEqual(len(found), sum(group["calls"] for group in groups))

    def test_spark_runs_a_task_again_whose_guard_host_was_killed(self) -> None:
        flag = self.folder / "was-killed"
        text = f"mkdir '{flag}' 2>/dev/null && {{ '{GUARD}' \"$@\" | head -n 3; kill -9 $$; }}"
        ended = self.engine(
            "replay_spark.py", "killed", guard=self.wrapper("killed-once", text)
        )
        self.assertEqual(ended.returncode, 0, ended)
        self.assertTrue(flag.is_dir())
        self.assertIn("1 tasks failed and were run again", ended.stderr)
        self.assertEqual(core(self.result("killed")), self.plain)

    def test_a_short_answer_is_a_failure(self) -> None:
        text = f"'{GUARD}' \"$@\" | sed '$d'; exit 0"
        short = self.wrapper("short", text)
        for name in ENGINES:
            ended = self.engine(name, f"short-{name}", guard=short)
            self.assertEqual(ended.returncode, 70, ended)
            self.assertIn("guard-host broke off: ", ended.stderr)
            self.assertFalse((self.folder / f"short-{name}" / "summary.json").exists())

    def test_a_broken_configuration_decides_nothing(self) -> None:
        bad = self.folder / "bad.toml"
        bad.write_text("colour = 1\n")
        for name in ENGINES:
            ended = self.engine(name, f"bad-{name}", "--second", str(bad))
            self.assertEqual(ended.returncode, 78, ended)
            self.assertIn(f"{bad}:1:1: unknown field `colour`", ended.stderr)

    def test_what_is_no_day_or_no_log_is_told(self) -> None:
        for name in ENGINES:
            ended = self.engine(name, "none", "--since", "yesterday")
            self.assertEqual(ended.returncode, 64, ended)
            sides = ("--first", "a.toml", "--second", "b.toml")
            gone = script(name, "gone", *sides, "--out", "none")
            self.assertEqual(gone.returncode, 66, gone)

    def test_a_log_is_added_once(self) -> None:
        again = script("audit_to_parquet.py", "--out", str(self.log), str(self.audit))
        self.assertEqual(again.returncode, 64, again)
        self.assertIn("already", again.stderr)


if __name__ == "__main__":
    unittest.main()
