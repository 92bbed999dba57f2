"""Compares what was seen with `expect.toml`, and prints it."""

import json
import tomllib
from pathlib import Path

# The columns of the table, and the cells that each of them holds.
COLUMNS = {
    "harmless": ["without the hook", "harmless", "write", "edit", "mcp", "subagent", "background", "still harmless"],
    "deny": ["deny"],
    "goes on": ["goes on"],
    "ends the run": ["ends the run"],
    "ask": ["ask, ", "ask to push, "],
    "all asks": ["asks, "],
    ".env": ["write .env", "edit .env"],
    "MCP": ["mcp deny", "mcp .env"],
    "subagent": ["subagent deny"],
    "background": ["background deny", "monitor deny"],
    "beside": ["beside Claude's hook", "beside Claude's hook, "],
    "broken": ["broken: "],
    "repaired": ["repaired"],
    "served": ["served", "server "],
    "screen": ["screen", "screen, "],
    "doctor": ["doctor", "doctor, "],
    "uninstall": ["install", "uninstall"],
}


def load(path=Path(__file__).parent / "expect.toml"):
    """For each agent the expected cells; `like` takes over those of another one."""
    tables = tomllib.loads(path.read_text()) if path.exists() else {}

    def cells(name):
        table = dict(tables.get(name, {}))
        like = table.pop("like", None)
        return (cells(like) if like else {}) | table

    return {name: cells(name) for name in tables}


def is_of(expected):
    return expected["is"] if isinstance(expected, dict) else expected


def compare(seen, expected, is_whole):
    """Lines about what differs. A cell without an expectation differs, too, and so does one that a whole run lacks."""
    lines = [f"{name}: not seen" for name in expected if is_whole and name not in seen]
    for name, cell in seen.items():
        want = is_of(expected.get(name, "nothing"))
        if cell.seen != want and not cell.seen.startswith("skipped, because "):
            told = " ".join(cell.told.split())[:200]
            lines.append(f"{name}: seen `{cell.seen}`, expected `{want}`" + (f"; told: {told}" if told else ""))
    return lines


def short(values):
    """One word if all are equal, or else each word with its count."""
    kinds = list(dict.fromkeys(values))
    if len(kinds) <= 1:
        return kinds[0] if kinds else "-"
    return ", ".join(f"{values.count(kind)} {kind}" for kind in kinds)


def table(results):
    rows = [["agent", *COLUMNS]]
    for agent, cells in results:
        row = [f"{agent.title} {agent.version}"]
        for parts in COLUMNS.values():
            names = [n for n in cells if any(n == p or p.endswith(" ") and n.startswith(p) for p in parts)]
            row.append(short([cells[name].seen for name in names]))
        rows.append(row)
    rows.insert(1, ["---"] * len(rows[0]))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def defects(agent, seen, expected):
    return [
        f"{agent.id}: {name}: {cell.seen}: {expected[name]['defect']}"
        for name, cell in seen.items()
        if isinstance(expected.get(name), dict) and "defect" in expected[name]
    ]


def write(path, guard_version, results, expected):
    out = {"guard-host": guard_version, "agents": {}}
    for agent, cells in results:
        want = expected.get(agent.id, {})
        out["agents"][agent.id] = {
            name: {"seen": cell.seen, "expected": is_of(want.get(name, "nothing")), "told": cell.told[:1500]}
            for name, cell in cells.items()
        }
    Path(path).write_text(json.dumps(out, indent=2, ensure_ascii=False) + "\n")
