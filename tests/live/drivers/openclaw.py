"""OpenClaw, with `agent exec` and `agent --local`, which need no Gateway."""

import json
import uuid

from model import PROMPT

SECONDS = 300

MODES = {"exec": [], "local": []}


def settings(world, url, mcp):
    model = {"id": "lab-model", "name": "lab", "input": ["text"], "contextWindow": 200000, "maxTokens": 8000}
    provider = {"baseUrl": f"{url}/v1", "apiKey": "lab-not-a-key", "api": "openai-completions", "models": [model]}
    # With its own files in the workspace, it refuses a workspace that lost them, such as the lab's next project.
    defaults = {"model": {"primary": "lab/lab-model"}, "workspace": str(world.proj), "skipBootstrap": True}
    return {
        "models": {"providers": {"lab": provider}},
        "agents": {"defaults": defaults},
        # Otherwise most tools are behind one that searches them.
        "tools": {"toolSearch": False},
        # As `openclaw plugins enable guard-host` notes it.
        "plugins": {"entries": {"guard-host": {"enabled": True}}},
        "mcp": {"servers": {"lab": {"command": mcp[0], "args": mcp[1:]}}},
    }


def setup(world, url, mcp):
    (world.home / ".openclaw").mkdir()
    (world.home / ".openclaw/openclaw.json").write_text(json.dumps(settings(world, url, mcp), indent=2) + "\n")


def env(world, url):
    return {"OPENCLAW_SKIP_UPDATE_CHECK": "1"}


def command(program, mode):
    if mode == "local":
        return [*program, "agent", "--local", "--session-id", str(uuid.uuid4()), "-m", PROMPT]
    return [*program, "agent", "exec", "--cwd", ".", PROMPT]


# No is chosen at first.
YES, NO = ["Up", "Enter"], ["Enter"]


def screen(program):
    return [*program, "chat", "--message", PROMPT]


CALLS = {
    "shell": lambda command: ("exec", {"command": command}),
    "background": lambda command: ("exec", {"command": command, "background": True}),
    "read": lambda path: ("read", {"path": path}),
    "write": lambda path, content: ("write", {"path": path, "content": content}),
    "edit": lambda path, old, new: ("edit", {"path": path, "edits": [{"oldText": old, "newText": new}]}),
    "mcp_run": lambda command: ("lab__run", {"command": command}),
    "mcp_write": lambda path, content: ("lab__write_file", {"path": path, "content": content}),
    "subagent": lambda prompt: ("sessions_spawn", {"task": prompt}),
}
