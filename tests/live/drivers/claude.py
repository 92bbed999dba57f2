"""Claude Code, with `-p`."""

import json

from model import PROMPT

SECONDS = 120

# Without a person, a mode that asks refuses every tool that is not allowed beforehand.
TOOLS = "Bash Read Write Edit Agent Task mcp__lab"
ALLOWED = ["--allowedTools", *TOOLS.split()]
MODES = {
    "bypassPermissions": ["--permission-mode", "bypassPermissions"],
    "default": ["--permission-mode", "default", *ALLOWED],
    "acceptEdits": ["--permission-mode", "acceptEdits", *ALLOWED],
    "plan": ["--permission-mode", "plan", *ALLOWED],
    "dontAsk": ["--permission-mode", "dontAsk", *ALLOWED],
    "auto": ["--permission-mode", "auto", *ALLOWED],
}


def setup(world, url, mcp):
    (world.home / ".claude.json").write_text(json.dumps({"mcpServers": {"lab": {"command": mcp[0], "args": mcp[1:]}}}))
    (world.home / ".claude").mkdir()
    (world.home / ".claude/settings.json").write_text('{\n    "cleanupPeriodDays": 30\n}\n')


def env(world, url):
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "sk-lab-not-a-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
        "IS_SANDBOX": "1",  # as root, it bypasses permissions only with this
    }


def command(program, mode):
    return [*program, "-p", PROMPT, *MODES[mode]]


YES, NO = ["Enter"], ["Escape"]


def before_screen(world):
    """What a person has answered when Claude Code was started for the first time."""
    path = world.home / ".claude.json"
    state = json.loads(path.read_text())
    project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    state.setdefault("projects", {}).setdefault(str(world.proj), {}).update(project)
    answers = {"approved": ["sk-lab-not-a-key"[-20:]], "rejected": []}
    state |= {"hasCompletedOnboarding": True, "theme": "dark", "customApiKeyResponses": answers}
    path.write_text(json.dumps(state))
    path = world.home / ".claude/settings.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"skipDangerousModePermissionPrompt": True}))


def screen(program):
    # In this mode it asks nothing by itself.
    return [*program, *MODES["bypassPermissions"], PROMPT]


def served(agent):
    """It blocks the call of an HTTP hook that fails; older versions are refused."""
    return [int(number) for number in agent.version.split(".")] >= [2, 1, 295]


CALLS = {
    "shell": lambda command: ("Bash", {"command": command, "description": "lab"}),
    "background": lambda command: ("Bash", {"command": command, "description": "lab", "run_in_background": True}),
    "monitor": lambda command: (
        "Monitor",
        {"command": command, "description": "lab", "timeout_ms": 3000, "persistent": False},
    ),
    "read": lambda path: ("Read", {"file_path": path}),
    "write": lambda path, content: ("Write", {"file_path": path, "content": content}),
    "edit": lambda path, old, new: ("Edit", {"file_path": path, "old_string": old, "new_string": new}),
    "mcp_run": lambda command: ("mcp__lab__run", {"command": command}),
    "mcp_write": lambda path, content: ("mcp__lab__write_file", {"path": path, "content": content}),
    "subagent": lambda prompt: (
        "Agent|Task",
        {"description": "lab", "prompt": prompt, "subagent_type": "general-purpose", "run_in_background": False},
    ),
}
