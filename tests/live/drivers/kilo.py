"""Kilo, with `kilo run`. It is made from OpenCode, and takes the same settings in a folder of its own."""

from drivers import opencode

from model import PROMPT

SECONDS = opencode.SECONDS
MODES = {"run": [], "auto": ["--auto"]}
env = opencode.env


def setup(world, url, mcp):
    folder = world.home / ".config/kilo"
    folder.mkdir(parents=True)
    (folder / "kilo.json").write_text(opencode.config(url, mcp))


def command(program, mode):
    return [*program, "run", *MODES[mode], PROMPT]


CALLS = opencode.CALLS | {
    "background": lambda command: ("background_process", {"action": "start", "command": command}),
}
