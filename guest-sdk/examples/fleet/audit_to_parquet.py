"""Writes audit logs of guard-host as Parquet, in a folder for each day.

Each line of a log is a row, also one that cannot be replayed: its `problem` says why.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from audit_log import Row, rows
from commandline import Exit, note, parser, run

EXAMPLES = """\
  audit_to_parquet.py --out log/ ~/.local/state/guard-host/audit.jsonl
  audit_to_parquet.py --out log/ collected/            # all .jsonl files below it
  ls collected/*.jsonl | xargs -P 8 -n 1 audit_to_parquet.py --out log/
"""

# So many rows, or so much text, is kept before it is written.
ROWS = 200_000
BYTES = 64 << 20

# The first places that are named for each problem.
PLACES = 3

SCHEMA = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("line", pa.int64(), nullable=False),
        pa.field("problem", pa.string()),
        pa.field("ts", pa.string(), nullable=False),
        pa.field("id", pa.string(), nullable=False),
        pa.field("session", pa.string(), nullable=False),
        pa.field("agent", pa.string(), nullable=False),
        pa.field("harness", pa.string(), nullable=False),
        pa.field("action", pa.string(), nullable=False),
        pa.field("rule", pa.string(), nullable=False),
        pa.field("has_facts", pa.bool_(), nullable=False),
        pa.field("tool", pa.string(), nullable=False),
        pa.field("cwd", pa.string(), nullable=False),
        pa.field("input", pa.string()),
    ]
)


def sources(paths: list[Path]) -> Iterator[Path]:
    """The files: each path, or all `.jsonl` files below it."""
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*.jsonl") if file.is_file())
        else:
            yield path


def write(found: list[Row], folder: Path, name: str) -> None:
    """Writes rows, in a file for each of their days."""
    by_day: dict[str, list[Row]] = {}
    for one in found:
        by_day.setdefault(one.day, []).append(one)
    for day, part in by_day.items():
        place = folder / f"day={day}"
        place.mkdir(parents=True, exist_ok=True)
        columns = list(zip(*part, strict=True))
        named = dict(zip(Row._fields, columns, strict=True))
        arrays = [pa.array(named[field.name], field.type) for field in SCHEMA]
        table = pa.Table.from_arrays(arrays, schema=SCHEMA)
        pq.write_table(table, place / name, compression="zstd")


def convert(source: Path, out: Path) -> tuple[Counter[str], dict[str, list[str]]]:
    """Converts one log. Its files appear when all of it is written.

    Returns how many lines there were of each kind, and the first places of problems.
    """
    told = str(source)
    key = hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:16]
    if any(out.glob(f"day=*/{key}-*.parquet")):
        raise FileExistsError(f"`{out}` holds `{source}` already")
    counts: Counter[str] = Counter()
    places: dict[str, list[str]] = {}
    making = out / f"_making-{key}"
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    kept: list[Row] = []
    size = part = 0
    with source.open("rb") as file:
        for one in rows(file, told):
            if one.problem:
                counts[one.problem] += 1
                first = places.setdefault(one.problem, [])
                if len(first) < PLACES:
                    first.append(f"{told}:{one.line}")
            else:
                counts["calls" if one.input is not None else "events"] += 1
            kept.append(one)
            size += 200 + len(one.input or "")
            if len(kept) >= ROWS or size >= BYTES:
                write(kept, making, f"{key}-{part:05}.parquet")
                kept, size, part = [], 0, part + 1
    write(kept, making, f"{key}-{part:05}.parquet")
    for made in sorted(making.rglob("*.parquet")):
        place = out / made.parent.name
        place.mkdir(exist_ok=True)
        made.rename(place / made.name)
    shutil.rmtree(making)
    return counts, places


def main() -> Exit:
    made = parser(__doc__ or "", EXAMPLES)
    made.add_argument(
        "logs", nargs="+", type=Path, help="audit logs, or folders of them"
    )
    made.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="the folder"
    )
    made.add_argument(
        "--strict", action="store_true", help="end with 65 if a line has a problem"
    )
    options: argparse.Namespace = made.parse_args()
    counts: Counter[str] = Counter()
    places: dict[str, list[str]] = {}
    files = 0
    for source in sources(options.logs):
        of_one, where = convert(source, options.out)
        files += 1
        counts.update(of_one)
        for problem, found in where.items():
            places[problem] = [*places.get(problem, []), *found][:PLACES]
    calls, events = counts.pop("calls", 0), counts.pop("events", 0)
    print(f"{calls} calls, {events} other lines, in {files} files")
    for problem, count in sorted(counts.items()):
        more = ", ..." if count > len(places[problem]) else ""
        note(
            f"{count} cannot be replayed: {problem} ({', '.join(places[problem])}{more})"
        )
    if calls == 0:
        note("no call was read")
        return Exit.DATA
    return Exit.DATA if options.strict and counts else Exit.SUCCESS


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    run(main)
