"""Grok Build, with `-p`."""

from model import PROMPT

SECONDS = 120

MODES = {
    "always-approve": ["--always-approve"],
    "default": ["--permission-mode", "default"],
}

CONFIG = """[models]
default = "lab"

[model.lab]
model = "lab-model"
base_url = "{url}/v1"
name = "lab"
api_key = "lab-not-a-key"

[mcp_servers.lab]
command = "{command}"
args = {args}
"""


def setup(world, url, mcp):
    (world.home / ".grok").mkdir()
    text = CONFIG.format(url=url, command=mcp[0], args=mcp[1:])
    (world.home / ".grok/config.toml").write_text(text)


def env(world, url):
    return {"XAI_API_KEY": "lab-not-a-key"}


def command(program, mode):
    return [*program, "-m", "lab", *MODES[mode], "-p", PROMPT]


def screen(program):
    return [*program, "-m", "lab", *MODES["always-approve"], PROMPT]


def tool(name, **arguments):
    """The tools of MCP servers are called by one of its own."""
    return "use_tool", {"tool_name": f"lab__{name}", "tool_input": arguments}


CALLS = {
    "shell": lambda command: ("run_terminal_command", {"command": command, "description": "lab"}),
    "background": lambda command: (
        "run_terminal_command",
        {"command": command, "description": "lab", "background": True},
    ),
    "monitor": lambda command: ("monitor", {"command": command, "description": "lab", "timeout_ms": 3000}),
    "read": lambda path: ("read_file", {"target_file": path}),
    "write": lambda path, content: ("write", {"file_path": path, "content": content}),
    "edit": lambda path, old, new: ("search_replace", {"file_path": path, "old_string": old, "new_string": new}),
    "mcp_run": lambda command: tool("run", command=command),
    "mcp_write": lambda path, content: tool("write_file", path=path, content=content),
    "subagent": lambda prompt: (
        "spawn_subagent",
        {"description": "lab", "prompt": prompt, "subagent_type": "general-purpose", "background": False},
    ),
}
