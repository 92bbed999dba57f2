"""Calls and verdicts as record batches of Arrow, which both engines speak."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from guard import Setup, decide
from verdicts import Call, Said

VERDICTS = pa.schema(
    [
        pa.field("tool", pa.string(), nullable=False),
        pa.field("input", pa.string(), nullable=False),
        pa.field("cwd", pa.string(), nullable=False),
        pa.field("times", pa.int64(), nullable=False),
        pa.field("first_outcome", pa.string(), nullable=False),
        pa.field("first_rule", pa.string(), nullable=False),
        pa.field("second_outcome", pa.string(), nullable=False),
        pa.field("second_rule", pa.string(), nullable=False),
    ]
)

# The columns that make a call.
KEY = ("tool", "input", "cwd")

# A verdict differs.
DIFFERS = "first_outcome <> second_outcome OR first_rule <> second_rule"

# What `differences` holds of a line of the log, beside the verdicts.
KEPT = ("day", "ts", "id", "source", "line", "session", "agent", "harness", "action")
SAID = ("first_outcome", "first_rule", "second_outcome", "second_rule")


def calls(batches: Iterable[pa.RecordBatch]) -> Iterator[Call]:
    """The rows of batches with the columns tool, input, cwd and times."""
    for batch in batches:
        columns = [batch.column(name).to_pylist() for name in Call._fields]
        yield from map(Call, *columns)


def _batch(lot: list[Call], first: list[Said], second: list[Said]) -> pa.RecordBatch:
    said = zip(lot, first, second, strict=True)
    rows = [(*call, *before, *after) for call, before, after in said]
    columns = zip(*rows, strict=True)
    fields = zip(VERDICTS, columns, strict=True)
    arrays = [pa.array(column, field.type) for field, column in fields]
    return pa.RecordBatch.from_arrays(arrays, schema=VERDICTS)


def decided(
    setup: Setup, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The calls of batches with their verdicts. Raises `GuardFailed`."""
    for lot, first, second in decide(setup, calls(batches)):
        yield _batch(lot, first, second)
