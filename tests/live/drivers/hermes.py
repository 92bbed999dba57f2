"""Hermes Agent, with `chat -q`."""

from model import PROMPT

SECONDS = 180

# Without `--accept-hooks` a run without a terminal skips hooks that nobody has consented to.
RUN = ["chat", "-Q", "--accept-hooks", "--ignore-rules"]
MODES = {
    "yolo": ["--yolo"],
    "default": [],
}

CONFIG = """model:
  provider: custom
  default: lab-model
  base_url: {url}/v1
  api_key: lab-not-a-key
  context_length: 200000
terminal:
  backend: local
mcp_servers:
  lab:
    command: "{command}"
    args: {args}
"""


def setup(world, url, mcp):
    (world.home / ".hermes").mkdir()
    args = "[" + ", ".join(f'"{arg}"' for arg in mcp[1:]) + "]"
    text = CONFIG.format(url=url, command=mcp[0], args=args)
    (world.home / ".hermes/config.yaml").write_text(text)


def env(world, url):
    return {"OPENAI_API_KEY": "lab-not-a-key", "OPENAI_BASE_URL": f"{url}/v1", "TERMINAL_CWD": str(world.proj)}


def command(program, mode):
    return [*program, *RUN, *MODES[mode], "-q", PROMPT]


CALLS = {
    "shell": lambda command: ("terminal", {"command": command}),
    "background": lambda command: ("terminal", {"command": command, "background": True}),
    "read": lambda path: ("read_file", {"path": path}),
    "write": lambda path, content: ("write_file", {"path": path, "content": content}),
    "edit": lambda path, old, new: (
        "patch",
        {"mode": "replace", "path": path, "old_string": old, "new_string": new},
    ),
    "mcp_run": lambda command: ("mcp_lab_run", {"command": command}),
    "mcp_write": lambda path, content: ("mcp_lab_write_file", {"path": path, "content": content}),
    "subagent": lambda prompt: ("delegate_task", {"goal": prompt, "context": "lab"}),
}
