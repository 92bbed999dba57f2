"""Pi, with `-p`. It has neither modes, nor MCP, nor subagents."""

import json

from model import PROMPT

SECONDS = 120

MODES = {"print": []}


def setup(world, url, mcp):
    provider = {
        "baseUrl": f"{url}/v1",
        "api": "openai-completions",
        "apiKey": "lab-not-a-key",
        "models": [{"id": "lab-model"}],
    }
    folder = world.home / ".pi/agent"
    folder.mkdir(parents=True)
    (folder / "models.json").write_text(json.dumps({"providers": {"lab": provider}}, indent=2) + "\n")


def env(world, url):
    return {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}


def command(program, mode):
    return [*program, "-p", "--provider", "lab", "--model", "lab-model", *MODES[mode], PROMPT]


YES, NO = ["Enter"], ["Escape"]


def screen(program):
    return [*program, "--provider", "lab", "--model", "lab-model", PROMPT]


CALLS = {
    "shell": lambda command: ("bash", {"command": command}),
    "read": lambda path: ("read", {"path": path}),
    "write": lambda path, content: ("write", {"path": path, "content": content}),
    "edit": lambda path, old, new: ("edit", {"path": path, "edits": [{"oldText": old, "newText": new}]}),
}
