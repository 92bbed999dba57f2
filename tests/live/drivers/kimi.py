"""Kimi Code CLI, with `-p`, in which it asks nothing by itself."""

import json

from model import PROMPT

SECONDS = 120

MODES = {"prompt": []}

CONFIG = """default_model = "lab"
telemetry = false

[providers.lab]
type = "openai"
base_url = "{url}/v1"
api_key = "lab-not-a-key"

[models.lab]
provider = "lab"
model = "lab-model"
max_context_size = 200000
"""


def setup(world, url, mcp):
    folder = world.home / ".kimi-code"
    folder.mkdir()
    (folder / "config.toml").write_text(CONFIG.format(url=url))
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": {"lab": {"command": mcp[0], "args": mcp[1:]}}}))


def env(world, url):
    return {"KIMI_DISABLE_TELEMETRY": "1", "KIMI_CODE_NO_AUTO_UPDATE": "1"}


def command(program, mode):
    return [*program, *MODES[mode], "-p", PROMPT]


CALLS = {
    "shell": lambda command: ("Bash", {"command": command}),
    "background": lambda command: ("Bash", {"command": command, "run_in_background": True, "description": "lab"}),
    "read": lambda path: ("Read", {"path": path}),
    "write": lambda path, content: ("Write", {"path": path, "content": content}),
    "edit": lambda path, old, new: ("Edit", {"path": path, "old_string": old, "new_string": new}),
    "mcp_run": lambda command: ("mcp__lab__run", {"command": command}),
    "mcp_write": lambda path, content: ("mcp__lab__write_file", {"path": path, "content": content}),
    "subagent": lambda prompt: ("Agent", {"description": "lab", "prompt": prompt, "subagent_type": "coder"}),
}
