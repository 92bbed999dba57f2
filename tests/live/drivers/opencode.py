"""OpenCode, with `opencode run`."""

import json

from model import PROMPT

SECONDS = 180

MODES = {"run": []}


def config(url, mcp):
    model = {"name": "lab", "tool_call": True, "limit": {"context": 100000, "output": 4000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "lab",
        "options": {"baseURL": f"{url}/v1", "apiKey": "lab-not-a-key"},
        "models": {"lab-model": model},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": "lab/lab-model",
        "small_model": "lab/lab-model",
        "provider": {"lab": provider},
        "mcp": {"lab": {"type": "local", "command": mcp}},
        # Reading such a file makes it ask, and that ends a run without a person.
        "permission": {"read": "allow", "external_directory": "allow"},
    }
    return json.dumps(settings, indent=2) + "\n"


def setup(world, url, mcp):
    folder = world.home / ".config/opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.json").write_text(config(url, mcp))


def env(world, url):
    return {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        # Beside a plugin it installs a package at each start, and tries for two minutes without a network.
        "npm_config_registry": url,
    }


def command(program, mode):
    return [*program, "run", *MODES[mode], PROMPT]


CALLS = {
    "shell": lambda command: ("bash", {"command": command, "description": "lab"}),
    "read": lambda path: ("read", {"filePath": path}),
    "write": lambda path, content: ("write", {"filePath": path, "content": content}),
    "edit": lambda path, old, new: ("edit", {"filePath": path, "oldString": old, "newString": new}),
    "mcp_run": lambda command: ("lab_run", {"command": command}),
    "mcp_write": lambda path, content: ("lab_write_file", {"path": path, "content": content}),
    "subagent": lambda prompt: ("task", {"description": "lab", "prompt": prompt, "subagent_type": "general"}),
}
