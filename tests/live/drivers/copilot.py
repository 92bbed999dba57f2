"""Copilot CLI, with `-p`."""

import json

from model import PROMPT

SECONDS = 150

MODES = {
    "allow-all-tools": ["--allow-all-tools"],
    "allow-tool shell": ["--allow-tool", "shell"],
    "autopilot": ["--allow-all-tools", "--autopilot"],
}


def setup(world, url, mcp):
    servers = {"lab": {"type": "local", "command": mcp[0], "args": mcp[1:], "tools": ["*"]}}
    (world.home / ".copilot").mkdir()
    # It runs the hooks of a project only in a folder that it trusts.
    (world.home / ".copilot/config.json").write_text(json.dumps({"trustedFolders": [str(world.proj)]}))
    (world.home / ".copilot/mcp-config.json").write_text(json.dumps({"mcpServers": servers}, indent=2) + "\n")


def env(world, url):
    return {
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_MODEL": "gpt-4.1",
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_API_KEY": "lab-not-a-key",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
    }


def command(program, mode):
    return [*program, "-p", PROMPT, *MODES[mode]]


YES, NO = ["Enter"], ["Escape"]


def screen(program):
    # So it asks nothing by itself.
    return [*program, "--allow-all-tools", "-i", PROMPT]


CALLS = {
    "shell": lambda command: ("bash", {"command": command, "description": "lab"}),
    "background": lambda command: (
        "bash",
        {"command": command, "description": "lab", "mode": "async", "detach": True},
    ),
    "read": lambda path: ("view", {"path": path}),
    "write": lambda path, content: ("create", {"path": path, "file_text": content}),
    "edit": lambda path, old, new: ("edit", {"path": path, "old_str": old, "new_str": new}),
    "mcp_run": lambda command: ("lab-run", {"command": command}),
    "mcp_write": lambda path, content: ("lab-write_file", {"path": path, "content": content}),
    "subagent": lambda prompt: (
        "task",
        {"description": "lab", "prompt": prompt, "agent_type": "general-purpose", "name": "lab", "mode": "sync"},
    ),
}
