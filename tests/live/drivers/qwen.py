"""Qwen Code, with `-p`."""

import json

from model import PROMPT

SECONDS = 150

# Without a person, the other modes offer no shell unless it is allowed beforehand.
ALLOWED = ["--allowed-tools", "run_shell_command"]
MODES = {
    "yolo": ["--approval-mode", "yolo"],
    "auto-edit": ["--approval-mode", "auto-edit", *ALLOWED],
    "default": ["--approval-mode", "default", *ALLOWED],
    "plan": ["--approval-mode", "plan", *ALLOWED],
}


def setup(world, url, mcp):
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "mcpServers": {"lab": {"command": mcp[0], "args": mcp[1:], "trust": True}},
    }
    (world.home / ".qwen").mkdir()
    (world.home / ".qwen/settings.json").write_text(json.dumps(settings, indent=2) + "\n")


def env(world, url):
    return {
        "OPENAI_API_KEY": "lab-not-a-key",
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_MODEL": "lab-model",
        "QWEN_TELEMETRY_ENABLED": "false",
    }


def command(program, mode):
    return [*program, "-p", PROMPT, *MODES[mode]]


YES, NO = ["Enter"], ["Escape"]


def screen(program):
    # In this mode it asks nothing by itself.
    return [*program, *MODES["yolo"], "-i", PROMPT]


def shell(command, background):
    return "run_shell_command", {"command": command, "description": "lab", "is_background": background}


CALLS = {
    "shell": lambda command: shell(command, False),
    "background": lambda command: shell(command, True),
    "monitor": lambda command: (
        "tool_call",
        {"name": "monitor", "arguments": {"command": command, "description": "lab"}},
    ),
    "read": lambda path: ("read_file", {"file_path": path}),
    "write": lambda path, content: ("write_file", {"file_path": path, "content": content}),
    "edit": lambda path, old, new: ("edit", {"file_path": path, "old_string": old, "new_string": new}),
    "mcp_run": lambda command: ("mcp__lab__run", {"command": command}),
    "mcp_write": lambda path, content: ("mcp__lab__write_file", {"path": path, "content": content}),
    "subagent": lambda prompt: (
        "agent",
        {"description": "lab", "prompt": prompt, "subagent_type": "general-purpose", "run_in_background": False},
    ),
}
