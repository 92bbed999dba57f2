"""Codex, with `codex exec`."""

from model import PROMPT

SECONDS = 120

MODES = {
    "danger-full-access": ["--dangerously-bypass-approvals-and-sandbox"],
    "workspace-write": ["--sandbox", "workspace-write"],
    "read-only": ["--sandbox", "read-only"],
}

# Only a model that Codex knows is offered `apply_patch`.
CONFIG = """model = "gpt-5.5"
model_provider = "lab"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
multi_agent_v2 = true

[model_providers.lab]
name = "lab"
base_url = "{url}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"

[projects."{proj}"]
trust_level = "trusted"

[mcp_servers.lab]
command = "{command}"
args = {args}
"""


def setup(world, url, mcp):
    folder = world.home / ".codex"
    folder.mkdir()
    text = CONFIG.format(url=url, proj=world.proj, command=mcp[0], args=mcp[1:])
    (folder / "config.toml").write_text(text)


def env(world, url):
    return {}


def command(program, mode):
    # A person approves a hook once; nobody is there.
    return [*program, "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", *MODES[mode], PROMPT]


APPROVES = "Hooks need review", ["2", "Enter"]


def screen(program):
    return [*program, *MODES["danger-full-access"], PROMPT]


def patch(path, old, new):
    return f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n"


def line_of(path, text):
    """A patch names whole lines: this is the line of a file of the lab that holds the text."""
    return f"KEY={text}" if ".env" in path else text


CALLS = {
    "shell": lambda command: ("exec_command", {"cmd": command}),
    "background": lambda command: ("exec_command", {"cmd": command, "yield_time_ms": 250, "tty": True}),
    "write": lambda path, content: (
        "custom:apply_patch",
        f"*** Begin Patch\n*** Add File: {path}\n+{content}\n*** End Patch\n",
    ),
    "edit": lambda path, old, new: ("custom:apply_patch", patch(path, line_of(path, old), line_of(path, new))),
    "mcp_run": lambda command: ("mcp__lab::run", {"command": command}),
    "mcp_write": lambda path, content: ("mcp__lab::write_file", {"path": path, "content": content}),
    "subagent": lambda prompt: (
        "collaboration::spawn_agent",
        {"task_name": "lab", "message": prompt, "fork_turns": "none"},
    ),
    "wait": lambda: ("collaboration::wait_agent", {"timeout_ms": 20000}),
}
