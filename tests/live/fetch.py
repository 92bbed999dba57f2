"""Installs the pinned agents into the cache, one folder for each version."""

import os
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


class Skip(Exception):
    """Why an agent is not driven."""


@dataclass
class Agent:
    name: str
    version: str
    title: str
    source: str
    package: str
    program: str
    is_newest: bool
    node: str = ""
    python: str = ""

    @property
    def id(self):
        return f"{self.name}@{self.version}"


def without(table, key):
    return {name: value for name, value in table.items() if name != key}


def all_agents():
    tables = tomllib.loads((HERE / "agents.toml").read_text())
    return [
        Agent(name, version, is_newest=version == table["versions"][-1], **without(table, "versions"))
        for name, table in tables.items()
        for version in table["versions"]
    ]


def chosen(names):
    agents = all_agents()
    for name in names:
        if not any(name in (agent.name, agent.id) for agent in agents):
            raise SystemExit(f"there is no agent {name}; known are: {', '.join(agent.id for agent in agents)}")
    return [agent for agent in agents if not names or agent.name in names or agent.id in names]


def run(command, log, env=None):
    with open(log, "ab") as file:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, timeout=900, env=env)
    if done.returncode:
        raise Skip(f"`{Path(command[0]).name}` could not install it, see {log}")


def npm(folder, package, node=""):
    """Installs a package once, with the Node of that folder. A sign at the end tells a whole installation from a broken
    one."""
    if (folder / "whole").exists():
        return
    if not shutil.which("npm"):
        raise Skip("npm is not installed")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "package.json").write_text("{}")
    quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
    env = os.environ | ({"PATH": f"{node}:{os.environ['PATH']}"} if node else {})
    # Some packages refuse an older Node, though they are started with one of their own.
    run(["npm", "install", "--prefix", str(folder), "--force", *quiet, package], folder / "install.log", env)
    (folder / "whole").touch()


def find_python(least):
    wanted = tuple(int(part) for part in least.split("."))
    names = [f"python3.{minor}" for minor in range(20, wanted[1] - 1, -1)]
    places = [shutil.which(name) for name in names]
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places += sorted(str(path) for path in versions.glob("*/bin/python3"))
    for place in filter(None, places):
        test = f"import sys, venv; sys.exit(sys.version_info[:2] < {wanted})"
        if subprocess.run([place, "-c", test], capture_output=True).returncode == 0:
            return place
    raise Skip(f"there is no Python {least} or later")


def pip(folder, agent):
    if (folder / "whole").exists():
        return
    python = find_python(agent.python)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    log = folder / "install.log"
    run([python, "-m", "venv", str(folder / "venv")], log)
    run([str(folder / "venv/bin/pip"), "install", "-q", f"{agent.package}=={agent.version}"], log)
    (folder / "whole").touch()


def fetch(agent, cache):
    """The command that starts the agent, and the folder of its Node."""
    folder = cache / agent.id
    if agent.source == "pip":
        pip(folder, agent)
        pattern = agent.program if "/" in agent.program else f"bin/{agent.program}"
        return list((folder / "venv").glob(pattern))[:1], "/usr/bin"
    node = ""
    if agent.node:
        npm(cache / f"node@{agent.node}", f"node@{agent.node}")
        node = str(cache / f"node@{agent.node}" / "node_modules/.bin")
    npm(folder, f"{agent.package}@{agent.version}", node)
    program = folder / agent.program if "/" in agent.program else folder / "node_modules/.bin" / agent.program
    if not program.exists():
        raise Skip(f"its package has no program `{agent.program}`")
    if not node and not shutil.which("node"):
        raise Skip("Node is not installed")
    return [program], node or str(Path(shutil.which("node")).parent)
