"""What a line of the audit log holds for a replay.

The functions are pure: bytes in, a row out.
They read a line as `guard-host replay` does, and skip it for the same reasons.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

LINE_BYTES = 16 << 20
OPERATION_BYTES = 8 << 10
MARK = "[redacted]"
UNKNOWN_DAY = "unknown"

NOT_JSON = "no JSON"
CUT_SHORT = "cut short"
OVERLONG = "longer than 16 MiB"
NO_OBJECT = "no object"
NO_LOG_LINE = "no line of the audit log"
NOT_WHOLE = "a line of the log without the whole call"

# Lines about what became of a call, or about what was done to guard-host itself. They are no calls.
EVENTS = frozenset({"ran", "refused", "pause", "resume", "sync"})
SHELLS = frozenset({"Bash", "PowerShell", "Monitor"})
READERS = frozenset({"Read", "LS"})
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T")


class Row(NamedTuple):
    """One line of the log. It is a call if it has an `input`.

    With a `problem` it cannot be replayed; with neither it is an event.
    """

    day: str
    source: str
    line: int
    problem: str | None = None
    ts: str = ""
    id: str = ""
    session: str = ""
    agent: str = ""
    harness: str = ""
    action: str = ""
    rule: str = ""
    has_facts: bool = False
    tool: str = ""
    cwd: str = ""
    input: str | None = None


def canonical(value: dict[str, Any]) -> str:
    """The same text for the same object, whatever the order of its keys."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _refuse(word: str) -> float:
    raise ValueError(f"`{word}` is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def parse(text: bytes | str) -> Any:
    """A JSON value as guard-host takes it: no NaN, no lone surrogates."""
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    if "\\u" in text:
        # Python takes half of a character, which is no text anywhere else.
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def whole_input(tool: str, operation: str) -> dict[str, Any] | None:
    """The tool's input from the operation of the log; none if the log lacks it."""
    size = len(operation.encode("utf-8"))
    if operation.endswith("...") and size + 3 >= OPERATION_BYTES:
        return None
    if MARK in operation:
        return None
    if tool in SHELLS:
        return {"command": operation}
    if tool in READERS:
        return {"file_path": operation}
    try:
        value = parse(operation)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def row(line: bytes, source: str, number: int, unfinished: bool = False) -> Row:
    """The row of a line that is not blank."""
    try:
        value = parse(line)
    except (ValueError, RecursionError):
        reason = CUT_SHORT if unfinished else NOT_JSON
        return Row(UNKNOWN_DAY, source, number, reason)
    if not isinstance(value, (dict, list)):
        return Row(UNKNOWN_DAY, source, number, NO_OBJECT)
    if isinstance(value, list) or "ts" not in value or "action" not in value:
        return Row(UNKNOWN_DAY, source, number, NO_LOG_LINE)

    def text(key: str) -> str:
        found = value.get(key)
        return found if isinstance(found, str) else ""

    tool, ts = text("tool"), text("ts")
    policy, rule = text("policy"), text("rule")
    given: str | None = None
    problem: str | None = None
    if tool and text("action") not in EVENTS:
        found = whole_input(tool, text("operation"))
        given = None if found is None else canonical(found)
        problem = NOT_WHOLE if found is None else None
    return Row(
        day=ts[:10] if DAY.match(ts) else UNKNOWN_DAY,
        source=source,
        line=number,
        problem=problem,
        ts=ts,
        id=text("id"),
        session=text("session"),
        agent=text("agent"),
        harness=text("harness"),
        action=text("action"),
        rule=f"{policy}:{rule}" if policy or rule else "",
        has_facts="decision" in value,
        tool=tool,
        cwd=text("cwd"),
        input=given,
    )


def rows(file: BinaryIO, source: str, limit: int = LINE_BYTES) -> Iterator[Row]:
    """A row for each line that is not blank. It holds one line at a time."""
    number = 0
    while line := file.readline(limit + 1):
        number += 1
        ended = line.endswith(b"\n")
        if len(line) > limit and not ended:
            while (rest := file.readline(limit)) and not rest.endswith(b"\n"):
                pass
            yield Row(UNKNOWN_DAY, source, number, OVERLONG)
        elif not line.isspace():
            yield row(line, source, number, unfinished=not ended)
