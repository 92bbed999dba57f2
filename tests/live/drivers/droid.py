"""Factory Droid, with `droid exec`. Its screen is not driven: it asks the vendor about the key."""

import json

from model import PROMPT

SECONDS = 150

MODES = {
    "auto high": ["--auto", "high"],
    "auto medium": ["--auto", "medium"],
    "auto low": ["--auto", "low"],
    "skip-permissions-unsafe": ["--skip-permissions-unsafe"],
}


def setup(world, url, mcp):
    model = {
        "model": "lab-model",
        "displayName": "lab",
        "baseUrl": f"{url}/v1",
        "apiKey": "lab-not-a-key",
        "provider": "generic-chat-completion-api",
        "maxOutputTokens": 4000,
    }
    servers = {"lab": {"type": "stdio", "command": mcp[0], "args": mcp[1:], "disabled": False}}
    folder = world.home / ".factory"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps({"customModels": [model]}, indent=2) + "\n")
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": servers}, indent=2) + "\n")


def env(world, url):
    return {
        "FACTORY_API_KEY": "fk-lab-not-a-key",
        "FACTORY_DROID_AUTO_UPDATE_ENABLED": "false",
        "FACTORY_TELEMETRY": "false",
    }


def command(program, mode):
    return [*program, "exec", "-m", "custom:lab-0", *MODES[mode], PROMPT]


def execute(command, **more):
    return "Execute", {"command": command, "riskLevel": "low", "riskLevelReason": "lab", "timeout": 10, **more}


CALLS = {
    "shell": execute,
    "background": lambda command: execute(command, fireAndForget=True),
    "read": lambda path: ("Read", {"file_path": path}),
    "write": lambda path, content: ("Create", {"file_path": path, "content": content}),
    "edit": lambda path, old, new: ("Edit", {"file_path": path, "old_str": old, "new_str": new}),
    "mcp_run": lambda command: ("lab___run", {"command": command}),
    "mcp_write": lambda path, content: ("lab___write_file", {"path": path, "content": content}),
    "subagent": lambda prompt: ("Task", {"subagent_type": "worker", "description": "lab", "prompt": prompt}),
}
