"""Saves one record of each shape of payload, without anything that differs from run to run."""

import json
import re
import sys
from pathlib import Path
from urllib.parse import quote

UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
HEX = re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{8,}\b")
NUMBER = re.compile(r"(?<![-\w])\d{10,}\b|(?<=-bg-)\d+|(?<=PID )\d+|(?<=PGID: )\d+")
TIME = re.compile(r"\d{4}-\d\d-\d\d[T_ -]\d\d[:-]\d\d(?:[:-]\d\d(?![0-9a-f])(?:[.-]\d+)?)?(?:Z|[+-]\d\d:\d\d)*")
PORT = re.compile(r"127\.0\.0\.1:\d+")
CODE = re.compile(r"--code [0-9a-f]+")
ID = re.compile(r"(?:^|_)ids?$|(?<=[a-z])I[dD]$")
CLOCK = re.compile(r"\b\d\d:\d\d$")
FRAMES = tuple("│┃║|")
NAME = re.compile(r"[^A-Za-z0-9_.]+")


class Cleaner:
    def __init__(self, root):
        slug = re.sub(r"[^A-Za-z0-9]", "-", str(root))
        here, python = str(Path(__file__).resolve().parent), sys.executable
        self.places = {str(root): "/lab", slug: "-lab", here: "/live", python: "python3"}
        self.places |= {str(root).replace("/", "-"): "-lab", quote(str(root), safe=""): "%2Flab"}
        self.ids = {}

    def text(self, value):
        for old, new in self.places.items():
            value = value.replace(old, new)
        value = TIME.sub("2026-01-01T00:00:00.000Z", PORT.sub("127.0.0.1:1", value))
        for old, new in self.ids.items():
            value = value.replace(old, new)
        value = UUID.sub("00000000-0000-4000-8000-000000000000", CODE.sub("--code 00000000", value))
        return NUMBER.sub("1", HEX.sub("00000000", value))

    def collect(self, value, key=""):
        """Gives each id a name, so that equal ids stay equal wherever they stand."""
        if isinstance(value, dict):
            for inner, part in value.items():
                self.collect(part, inner)
        elif isinstance(value, list):
            for part in value:
                self.collect(part, key)
        elif isinstance(value, str) and len(value) > 7 and ID.search(key):
            self.ids.setdefault(value, f"id-{len(self.ids) + 1}")

    def clean(self, value):
        if isinstance(value, dict):
            return {key: self.clean(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self.clean(part) for part in value]
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 1_000_000_000:
            return 1767225600000 if value > 100_000_000_000 else 1767225600
        return value


def first(payload, *names):
    """The first value of these names, in the payload or one level below."""
    levels = [payload, *(part for part in payload.values() if isinstance(part, dict))]
    return next((level[name] for name in names for level in levels if level.get(name)), "")


def shape(value):
    if isinstance(value, dict):
        return {key: shape(part) for key, part in sorted(value.items())}
    if isinstance(value, list):
        return [shape(part) for part in value[:1]]
    return type(value).__name__


def save_screen(world, folder, agent, text, cache):
    """Saves a screen. A shorter name of a place must not move the frame at the line's end."""
    lines = []
    for line in text.splitlines():
        clean = CLOCK.sub("12:00", line.replace(str(world.root), "/lab").replace(str(cache), "/cache"))
        lost = len(line) - len(clean)
        framed = clean[-1:] in FRAMES
        lines.append(clean[:-1] + " " * lost + clean[-1] if framed and lost else clean)
    lines = [line for number, line in enumerate(lines) if line or number and lines[number - 1]]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{agent.name}-{agent.version}-ask.txt").write_text("\n".join(lines) + "\n")


def save(world, folder, agent):
    """The answer is how many shapes were seen."""
    folder = folder / agent.name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{agent.version}-*.json"):
        old.unlink()
    shapes = set()
    for path in sorted(world.recorded.iterdir()):
        record = json.loads(path.read_text())
        payload = record["payload"]
        if not isinstance(payload, dict):
            continue
        event = first(payload, "hook_event_name", "hookEventName", "hookName", "event") or "call"
        tool = first(payload, "tool_name", "toolName", "name", "tool") or "none"
        stopped = json.dumps(record["reply"]) != '""' or record["code"]
        key = json.dumps([event, tool, shape(payload), shape(record["reply"]), bool(stopped)])
        if key in shapes:
            continue
        shapes.add(key)
        cleaner = Cleaner(world.root)
        cleaner.collect(payload)
        name = NAME.sub("-", f"{agent.version}-{len(shapes):02}-{event}-{tool}")
        record["env"] = " ".join(record["env"])
        text = json.dumps(cleaner.clean(record), indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(text + "\n")
    return len(shapes)
