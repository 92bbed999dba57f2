"""Verdicts of `guard-host check --batch`, and how two of them differ.

The functions are pure. The names are those of `guard-host replay --format json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

# How strict an outcome is.
RANKS = {"allow": 1, "abstain": 1, "warn": 2, "ask": 3, "deny": 4}
UNREADABLE = "unreadable"
FAULT = "policy-fault"
CHANGES = ("loosened", "tightened", "other-rule")
FAIL_ON = ("loosened", "tightened", "any")


class Call(NamedTuple):
    """A distinct call, and how often the log has it."""

    tool: str
    input: str
    cwd: str
    times: int = 1


class Said(NamedTuple):
    """What one configuration says of a call. `rule` is `policy:rule`, or empty."""

    outcome: str
    rule: str


class Group(NamedTuple):
    """Calls with the same two verdicts."""

    first: Said
    second: Said
    calls: int
    distinct: int


class Skipped(NamedTuple):
    """Lines that were not replayed, for one reason."""

    reason: str
    lines: int


def call_line(call: Call) -> bytes:
    """The call as a line for `check --batch`."""
    fields = {"tool": call.tool, "input": json.loads(call.input)}
    if call.cwd:
        fields["cwd"] = call.cwd
    return json.dumps(fields, ensure_ascii=False).encode("utf-8") + b"\n"


def said(line: bytes) -> Said:
    """The verdict of a line of `check --batch`. Raises `ValueError` if it is none."""
    value = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError("not an object")  # noqa: TRY004
    if "error" in value:
        return Said(UNREADABLE, "")
    outcome, policy, rule = (value.get(key) for key in ("outcome", "policy", "rule"))
    if outcome not in RANKS or not isinstance(policy, str) or not isinstance(rule, str):
        raise ValueError("no verdict")
    return Said(outcome, f"{policy}:{rule}" if policy or rule else "")


def change(first: Said, second: Said) -> str | None:
    """How the second verdict differs from the first; none if they are the same."""
    before, after = RANKS[first.outcome], RANKS[second.outcome]
    if after != before:
        return "loosened" if after < before else "tightened"
    return None if first == second else "other-rule"


def lots(
    calls: Iterable[Call], most: int, most_bytes: int, most_folders: int
) -> Iterable[list[Call]]:
    """Cuts calls into lots that one process decides."""
    lot: list[Call] = []
    size, folders = 0, set[str]()
    for call in calls:
        large = len(call.input) + len(call.cwd)
        is_new = call.cwd not in folders
        is_full = len(lot) >= most or size + large > most_bytes
        if lot and (is_full or is_new and len(folders) >= most_folders):
            yield lot
            lot, size, folders = [], 0, set()
        lot.append(call)
        size += large
        folders.add(call.cwd)
    if lot:
        yield lot


def summary(groups: Sequence[Group], skipped: Sequence[Skipped]) -> dict[str, Any]:
    """The result, in the shape of `guard-host replay --format json`."""
    lost = [g for g in groups if UNREADABLE in (g.first.outcome, g.second.outcome)]
    told = [g for g in groups if g not in lost]
    skipped = [*skipped]
    if lost:
        reason = "a call that can't be read"
        skipped.append(Skipped(reason, sum(g.calls for g in lost)))

    def shown(group: Group) -> dict[str, Any]:
        kind = change(group.first, group.second)
        return {
            **({"change": kind} if kind else {}),
            "first": group.first._asdict(),
            "second": group.second._asdict(),
            "calls": group.calls,
            "distinct": group.distinct,
        }

    def order(group: Group) -> tuple[Any, ...]:
        kind = change(group.first, group.second)
        at = CHANGES.index(kind) if kind else len(CHANGES)
        return at, -RANKS[group.first.outcome], -group.calls, group.first, group.second

    faults = [g for g in told if any(_is_fault(one) for one in (g.first, g.second))]
    return {
        "calls": sum(g.calls for g in told),
        "distinct": sum(g.distinct for g in told),
        "skipped": [{"reason": s.reason, "count": s.lines} for s in sorted(skipped)],
        "skipped-count": sum(s.lines for s in skipped),
        "faults": {"distinct": sum(g.distinct for g in faults)},
        "groups": [shown(group) for group in sorted(told, key=order)],
    }


def _is_fault(verdict: Said) -> bool:
    return verdict.rule.endswith(f":{FAULT}")


def is_wanted(result: dict[str, Any], fail_on: str | None) -> bool:
    """There is a difference that `--fail-on` names."""
    found = {group.get("change") for group in result["groups"]} - {None}
    return bool(found) if fail_on == "any" else fail_on in found


def text(result: dict[str, Any]) -> str:
    """The result for people."""
    lines = [f"{result['calls']} calls ({result['distinct']} distinct)"]
    for one in result["skipped"]:
        lines.append(f"skipped {one['count']}: {one['reason']}")
    if result["faults"]["distinct"]:
        lines.append(f"{result['faults']['distinct']} distinct calls met a fault")
    changed = [group for group in result["groups"] if "change" in group]
    if not changed:
        lines += ["", "no verdict differs"]
    for kind in CHANGES:
        groups = [group for group in changed if group["change"] == kind]
        if groups:
            calls = sum(group["calls"] for group in groups)
            distinct = sum(group["distinct"] for group in groups)
            lines += ["", f"{kind}: {calls} calls ({distinct} distinct)"]
        for group in groups:
            before, after = (
                " ".join(filter(None, group[side].values()))
                for side in ("first", "second")
            )
            lines.append(f"  {before} -> {after}  ({group['calls']} calls)")
    return "\n".join(lines)
