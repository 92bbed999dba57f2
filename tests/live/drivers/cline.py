"""Cline's CLI, without its screen."""

import json
import subprocess

from model import PROMPT

SECONDS = 150

MODES = {"act": [], "plan": ["--plan"]}

# `install` cannot tell Cline a timeout, and its own is longer than a run of the lab.
NOT_DRIVEN = ("timeout",)


def setup(world, url, mcp):
    folder = world.home / ".cline/data/settings"
    folder.mkdir(parents=True)
    servers = {"lab": {"command": mcp[0], "args": mcp[1:], "disabled": False}}
    (folder / "cline_mcp_settings.json").write_text(json.dumps({"mcpServers": servers}, indent=2) + "\n")


def prepare(world, url, program):
    """Tells Cline its model, which only itself can write down."""
    subprocess.run(
        [*program, "auth", "-p", "openai-compatible", "-k", "lab-not-a-key", "-m", "lab-model", "-b", f"{url}/v1"],
        env=world.env(env(world, url)),
        cwd=world.proj,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=90,
        check=True,
    )


def env(world, url):
    return {"CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"}


def command(program, mode):
    # It takes a prompt without a blank for the name of a command.
    return [*program, "--json", "-P", "openai-compatible", "-m", "lab-model", *MODES[mode], PROMPT]


CALLS = {
    "shell": lambda command: ("run_commands", {"commands": [command]}),
    "read": lambda path: ("read_files", {"files": [{"path": path}]}),
    "write": lambda path, content: ("editor", {"path": path, "new_text": content}),
    "edit": lambda path, old, new: ("editor", {"path": path, "old_text": old, "new_text": new}),
    "mcp_run": lambda command: ("lab__run", {"command": command}),
    "mcp_write": lambda path, content: ("lab__write_file", {"path": path, "content": content}),
    "subagent": lambda prompt: ("spawn_agent", {"systemPrompt": "lab", "task": prompt}),
}
