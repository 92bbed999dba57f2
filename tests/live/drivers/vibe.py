"""Mistral Vibe, with `-p`."""

import json

from model import PROMPT

SECONDS = 150

MODES = {"auto-approve": ["--auto-approve"], "default": []}

CONFIG = """active_model = "lab"
enable_telemetry = false
enable_update_checks = false
enable_auto_update = false

[[providers]]
name = "lab"
api_base = "{url}/v1"
api_key_env_var = "LAB_KEY"
api_style = "openai"
backend = "generic"

[[models]]
name = "lab-model"
provider = "lab"
alias = "lab"

[[mcp_servers]]
name = "lab"
transport = "stdio"
command = "{command}"
args = {args}
"""


def setup(world, url, mcp):
    (world.home / ".vibe").mkdir()
    text = CONFIG.format(url=url, command=mcp[0], args=mcp[1:])
    (world.home / ".vibe/config.toml").write_text(text)


def env(world, url):
    return {"LAB_KEY": "lab-not-a-key", "MISTRAL_API_KEY": "lab-not-a-key"}


def command(program, mode):
    return [*program, "--trust", *MODES[mode], "-p", PROMPT]


def script(function, **argument):
    """Most tools are offered to a program of the model only."""
    code = f"async function main() {{ return await tools.{function}({json.dumps(argument)}) }}"
    return "run_typescript", {"code": code}


CALLS = {
    "shell": lambda command: ("bash", {"command": command}),
    "background": lambda command: script("process.start", command=command),
    "read": lambda path: ("read_file", {"path": path}),
    "write": lambda path, content: ("write_file", {"path": path, "content": content}),
    "edit": lambda path, old, new: ("edit", {"file_path": path, "old_string": old, "new_string": new}),
    "mcp_run": lambda command: script("mcp_lab.run", command=command),
    "mcp_write": lambda path, content: script("mcp_lab.write_file", path=path, content=content),
    "subagent": lambda prompt: script("agents.spawn", name="lab", message=prompt),
    "wait": lambda: ("wait", {"timeout_ms": 15000}),
}
