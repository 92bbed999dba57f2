"""Writes seen.toml: for each harness its versions that were driven, the day, and one line about each thing."""

import datetime
import json
import tomllib

from world import BROKEN

HEAD = """# What was seen with real agents. `tests/live/run --seen tests/live/seen.toml` writes the entries of the
# agents that it drives, and keeps the others. What `not-driven` says is written by hand.
"""

# The key, and how the names of its cells begin.
WORDS = {
    "deny": ["deny"],
    "ask": ["ask, ", "ask to push, "],
    "screen": ["screen"],
    "goes on": ["goes on"],
} | {kind: [f"broken: {kind}"] for kind in BROKEN}


def word(cells, starts):
    """The words of these cells, each once."""
    names = [name for name in cells if any(name == s or s.endswith(" ") and name.startswith(s) for s in starts)]
    words = dict.fromkeys(cells[name].seen for name in names)
    return "; ".join(word for word in words if word != "not reached" or len(words) == 1)


def line(of_versions):
    """One line about all versions: a word, or each word with its versions."""
    words = dict.fromkeys(word for word in of_versions.values() if word)
    if len(words) < 2:
        return next(iter(words), "")
    versions = {word: ", ".join(version for version in of_versions if of_versions[version] == word) for word in words}
    return "; ".join(f"{word} ({versions[word]})" for word in words)


def entries(results):
    """One for each agent, from (agent, cells) of its versions."""
    out = {}
    for agent, _ in results:
        cells_of = {other.version: cells for other, cells in results if other.name == agent.name}
        lines = {}
        for key, starts in WORDS.items():
            lines[key] = line({version: word(cells, starts) for version, cells in cells_of.items()})
        entry = {"versions": list(cells_of), "date": datetime.date.today().isoformat()}
        entry |= {key: lines[key] for key in WORDS if key not in BROKEN and lines[key]}
        entry["broken"] = {kind: lines[kind] for kind in BROKEN if lines[kind]}
        out[agent.name] = entry
    return out


def key(text):
    return text.replace(" ", "-")


def table(name, entry):
    lines, inner = [f"[{name}]"], []
    for word, value in entry.items():
        if isinstance(value, dict):
            inner.append(table(f"{name}.{word}", value))
        else:
            lines.append(f"{key(word)} = {json.dumps(value, ensure_ascii=False)}")
    return "\n".join([*lines, *inner])


def write(path, results):
    old = tomllib.loads(path.read_text()) if path.exists() else {}
    new = entries(results)
    whole = {name: new.get(name) or old[name] for name in sorted(old.keys() | new.keys())}
    path.write_text(HEAD + "".join(f"\n{table(name, entry)}\n" for name, entry in whole.items()))
