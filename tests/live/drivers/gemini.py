"""Gemini CLI, with `-p`. Only the mode yolo has a shell there."""

import json

from model import PROMPT

SECONDS = 150

MODES = {mode: ["--approval-mode", mode] for mode in ("yolo", "auto_edit", "default")}


def setup(world, url, mcp):
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "mcpServers": {"lab": {"command": mcp[0], "args": mcp[1:]}},
    }
    (world.home / ".gemini").mkdir()
    (world.home / ".gemini/settings.json").write_text(json.dumps(settings, indent=2) + "\n")


def env(world, url):
    return {
        "GEMINI_API_KEY": "lab-not-a-key",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def command(program, mode):
    return [*program, "-p", PROMPT, *MODES[mode]]


CALLS = {
    "shell": lambda command: ("run_shell_command", {"command": command, "description": "lab"}),
    "background": lambda command: (
        "run_shell_command",
        {"command": command, "description": "lab", "is_background": True},
    ),
    "read": lambda path: ("read_file", {"file_path": path}),
    "write": lambda path, content: ("write_file", {"file_path": path, "content": content}),
    "edit": lambda path, old, new: (
        "replace",
        {"file_path": path, "instruction": "lab", "old_string": old, "new_string": new},
    ),
    "mcp_run": lambda command: ("mcp_lab_run", {"command": command}),
    "mcp_write": lambda path, content: ("mcp_lab_write_file", {"path": path, "content": content}),
    "subagent": lambda prompt: ("invoke_agent", {"agent_name": "generalist", "prompt": prompt}),
}
