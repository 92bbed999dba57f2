"""The checks: what the model calls, what must be seen afterwards, and what that means.

A cell is one word about one check, such as `runs` or `denied`.
"""

import re
from dataclasses import dataclass
from typing import Callable

import screens
from fetch import Skip
from model import SUB
from world import BROKEN, Server

# guard-host ends each reason with the policy and the rule.
REASON = re.compile(r"\[[a-z0-9-]+: [a-z0-9-]+\]")
NO_TOOL = re.compile(r"(?i)unknown tool|no such tool|tool.{0,60}(not found|not available|does not exist|unavailable)")

STATE = (".local/state/guard-host", ".cache/guard-host", ".config/guard-host")


class Unsafe(Exception):
    """The stubs are not found first, so nothing dangerous may be called."""


@dataclass
class Step:
    cell: str  # "" for a step that only prepares another
    kind: str  # the key in the driver's CALLS
    args: dict
    happened: Callable = lambda world: False
    before: Callable = None


@dataclass
class Cell:
    seen: str
    told: str = ""


def made(name):
    return lambda world: (world.proj / name).exists()


def holds(name, text):
    return lambda world: (world.proj / name).exists() and text in (world.proj / name).read_text()


def marked(line):
    return lambda world: any(mark == line for mark in world.marked())


def shell(cell, name, kind="shell", **more):
    return Step(cell, kind, {"command": f"touch {name}"}, made(name), **more)


def main_steps(world):
    """Every step leaves a trace of its own, so the order of the traces does not matter."""
    env, other, inner = (str(world.proj / name) for name in (".env", ".env.production", "sub/.env"))
    notes, a = str(world.proj / "notes.txt"), str(world.proj / "a.txt")
    push = "git push --force origin main"
    change = {"old": "before", "new": "after"}
    return [
        shell("harmless", "harmless.txt"),
        Step("deny", "shell", {"command": push}, marked(push)),
        shell("goes on", "goes-on.txt"),
        Step("write", "write", {"path": notes, "content": "lab"}, made("notes.txt")),
        Step("", "read", {"path": a}),
        Step("edit", "edit", {"path": a, **change}, holds("a.txt", "after")),
        Step("write .env", "write", {"path": env, "content": "KEY=lab"}, made(".env")),
        Step("", "read", {"path": other}),
        Step("edit .env", "edit", {"path": other, **change}, holds(".env.production", "after")),
        Step("mcp", "mcp_run", {"command": f"touch {world.proj}/mcp.txt"}, made("mcp.txt")),
        Step("mcp deny", "mcp_run", {"command": push}, marked("mcp: " + push)),
        Step("mcp .env", "mcp_write", {"path": inner, "content": "KEY=lab"}, made("sub/.env")),
        Step("subagent", "subagent", {"prompt": f"{SUB} go"}, made("sub.txt")),
        Step("", "wait", {}),
        shell("background", "background.txt", "background"),
        Step("background deny", "background", {"command": "git push -f origin main"}, marked("git push -f origin main")),
        Step("monitor deny", "monitor", {"command": "git push -f origin master"}, marked("git push -f origin master")),
        shell("still harmless", "still.txt"),
    ]


def sub_steps():
    push = "git push --force origin master"
    # The harmless one first: a stop may end the subagent.
    return [
        shell("", "sub.txt"),
        Step("subagent deny", "shell", {"command": push}, marked(push)),
    ]


# The files of `ask_steps`. Claude Code treats the hidden folders as its own or as sensitive.
ASKED = {
    "shell": [".git/hooks/pre-push", ".vscode/tasks.json"],
    "write": [".git/hooks/pre-commit", ".vscode/settings.json", ".claude/agents/lab.md", "Dockerfile"],
    "write below": [".github/workflows/lab.yml"],
    "mcp": [".git/hooks/pre-rebase"],
    "sub": [".git/hooks/post-commit"],
}


def push_step(kind, name, more=""):
    """A push to a branch of that name, so that each leaves a mark of its own."""
    push = f"git push origin {name}"
    via = "mcp: " if kind == "mcp_run" else ""
    return Step(f"{kind}: {push}{more}", kind, {"command": push + more}, marked(via + push))


def write_step(world, kind, name):
    return Step(f"{kind}: {name}", kind, {"path": str(world.proj / name), "content": "lab"}, made(name))


def ask_steps(world):
    """Calls that a person must be asked about. Many touch a path as well for which an agent has rules of its own."""
    commands = ["rm -rf .git", "git branch -D lab", "git clean -fdx", "gh pr create --fill"]
    redirected = {"gh release create v1": ".claude/release.log", "git stash drop": ".vscode/stash.log"}
    inner = "git push origin inner"
    return [
        push_step("shell", "plain"),
        push_step("shell", "git", " 2> .git/push.log"),
        push_step("shell", "editor", " > .vscode/push.log"),
        *(Step(f"shell: {text}", "shell", {"command": text}, marked(text)) for text in commands),
        *(
            Step(f"shell: {text} > {path}", "shell", {"command": f"{text} > {path}"}, marked(text))
            for text, path in redirected.items()
        ),
        Step(f"shell: bash -c '{inner}'", "shell", {"command": f"bash -c '{inner}'"}, marked(inner)),
        *(Step(f"shell: > {name}", "shell", {"command": f"echo lab > {name}"}, made(name)) for name in ASKED["shell"]),
        *(write_step(world, "write", name) for name in ASKED["write"] + ASKED["write below"]),
        Step("", "read", {"path": str(world.proj / "Makefile")}),
        Step(
            "edit: Makefile",
            "edit",
            {"path": str(world.proj / "Makefile"), "old": "before", "new": "after"},
            holds("Makefile", "after"),
        ),
        push_step("mcp_run", "server"),
        push_step("mcp_run", "server-git", " 2> .git/server.log"),
        *(write_step(world, "mcp_write", name) for name in ASKED["mcp"]),
        push_step("background", "background"),
        push_step("background", "background-git", " 2> .git/background.log"),
        push_step("monitor", "monitor", " 2> .git/monitor.log"),
        Step("", "subagent", {"prompt": f"{SUB} go"}),
        Step("", "wait", {}),
    ]


def ask_sub_steps(world):
    return [
        push_step("shell", "sub"),
        push_step("shell", "sub-git", " 2> .git/sub.log"),
        *(write_step(world, "write", name) for name in ASKED["sub"]),
    ]


class Lab:
    """One agent of one version in one world."""

    def __init__(self, agent, driver, program, world, model, say):
        self.agent, self.driver, self.program = agent, driver, program
        self.world, self.model, self.say = world, model, say
        self.cells = {}
        self.register, self.code = None, 0

    def spell(self, step):
        return self.driver.CALLS[step.kind](**step.args)

    def play(self, mode, steps, sub=()):
        """One run of the agent. The answer is how many steps it came to."""

        def before(who, number):
            step = steps[number] if who == "main" else sub[number]
            if step.before:
                step.before()

        scripts = {"main": [self.spell(step) for step in steps], "sub": [self.spell(step) for step in sub]}
        self.model.play(scripts, before)
        self.world.put_working()
        command = self.driver.command(self.program, mode)
        self.code = self.world.run(command, self.driver.env(self.world, self.model.url), self.driver.SECONDS)
        return sum(1 for who, _ in self.model.handed if who == "main")

    def judge(self, step, who, number):
        if step.happened(self.world):
            return Cell("runs", self.text(who, number))
        if (who, number) not in self.model.handed:
            return Cell("not reached")
        if (who, number) not in self.model.told:
            return Cell("the run hangs" if self.code is None else "stopped, and nobody is told")
        text = self.text(who, number)
        if REASON.search(text):
            return Cell("denied", text)
        if NO_TOOL.search(text):
            return Cell("no such tool", text)
        return Cell("stopped, without the reason", text)

    def text(self, who, number):
        told = self.model.told.get((who, number))
        return told.text if told else ""

    def keep(self, name, cell):
        self.cells[name] = cell
        self.say(f"  {name}: {cell.seen}")

    def able(self, steps):
        """The steps that this agent has a tool for."""
        for step in steps:
            if step.kind not in (*self.driver.CALLS, "monitor") and step.cell:
                self.keep(step.cell, Cell("no tool for it"))
        return [step for step in steps if step.kind in self.driver.CALLS]

    def able_sub(self):
        if "subagent" in self.driver.CALLS:
            return sub_steps()
        self.keep("subagent deny", Cell("no tool for it"))
        return []

    def play_all(self, mode, steps, sub=(), record=None):
        """Plays the steps, anew from the one after that which ended a run. The answer is what ended one."""
        record = record or (lambda step, cell: self.keep(step.cell, cell) if step.cell else None)
        left, ended = list(steps), []
        while left:
            self.world.restore_files()
            before = self.world.marks.read_text()
            came = self.play(mode, left, sub)
            for number, step in enumerate(left[: max(came, 1)]):
                record(step, self.judge(step, "main", number))
                if step.kind == "subagent":
                    for inner, sub_step in enumerate(sub):
                        if sub_step.cell:
                            record(sub_step, self.judge(sub_step, "sub", inner))
            if came == 0:
                for step in left[1:]:
                    record(step, Cell("not reached"))
                break
            self.world.marks.write_text(before)
            if came < len(left):
                ended.append(left[came - 1].cell or left[came - 1].kind)
            left = left[came:]
        return ended

    # The checks, in the order in which they need each other.

    def control(self):
        """Without the hook: the stubs are found first, and the denied command would run."""
        mode = next(iter(self.driver.MODES))
        self.play(mode, [Step("", "shell", {"command": "command -v git rm"})])
        found = self.text("main", 0)
        if any(f"{self.world.stubs}/{name}" not in found for name in ("git", "rm")):
            raise Unsafe(f"a shell of the agent does not find the stubs: {found[:300]!r}")
        push = "git push --force origin main"
        steps = [Step("without the hook", "shell", {"command": push}, marked(push))]
        self.play_all(mode, steps)

    def install(self, *more):
        return self.guard("install", *more)

    def guard(self, verb, *more):
        if self.register:
            return self.register(verb, *more)
        done = self.world.guard_host(verb, self.agent.name, *more)
        if done.returncode:
            raise Skip(f"guard-host {verb} fails: {done.stderr.strip()}")

    def uninstall(self):
        """An agent that has run once; then install and uninstall must leave its home as it was."""
        before = self.world.snapshot(*STATE)
        self.install()
        between = self.world.snapshot(*STATE)
        self.guard("uninstall")
        after = self.world.snapshot(*STATE)
        changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        self.keep("install", Cell("changes the settings" if between != before else "changes nothing"))
        # A folder that stays behind is no setting, so it is told by name.
        self.keep("uninstall", Cell("as before" if not changed else "leaves " + ", ".join(changed[:5])))

    def doctor(self, cell="doctor"):
        if self.register:
            return
        # The program was put back in its place, which guard-host takes for an upgrade.
        self.world.guard_host("cache", "warm")
        done = self.world.guard_host("doctor", self.agent.name)
        seen = "ok" if done.returncode == 0 else f"exit {done.returncode}"
        self.keep(cell, Cell(seen, done.stdout + done.stderr))

    def main(self):
        mode = next(iter(self.driver.MODES))
        ended = self.play_all(mode, self.able(main_steps(self.world)), self.able_sub())
        if "deny" in ended:
            self.keep("goes on", Cell("a deny ends the run"))
        self.keep("ends the run", Cell(", ".join(ended) or "nothing"))

    def ask(self):
        """In each mode, commands that a person must be asked about. Nobody is there, so they must not run.

        There are two, because some agents refuse the first one by themselves.
        """
        for mode in self.driver.MODES:
            remove, push = f"rm -rf {self.world.home}/victim", "git push origin topic"
            steps = [
                Step(f"ask, {mode}", "shell", {"command": "rm -rf ~/victim"}, marked(remove)),
                Step(f"ask to push, {mode}", "shell", {"command": push}, marked(push)),
            ]
            self.play_all(mode, steps)

    def asks(self):
        """In each mode, everything that a person must be asked about, with no person there. Nothing of it may run."""
        steps = [step for step in ask_steps(self.world) if step.kind in self.driver.CALLS]
        sub = ask_sub_steps(self.world) if "subagent" in self.driver.CALLS else []
        files = [self.world.proj / name for names in ASKED.values() for name in names]
        for mode in self.driver.MODES:
            for file in files:
                file.unlink(missing_ok=True)
            cells = {}
            self.play_all(mode, steps, sub, lambda step, cell: step.cell and cells.update({step.cell: cell}))
            ran = [name for name, cell in cells.items() if cell.seen == "runs"]
            reached = any(cell.seen != "not reached" for cell in cells.values())
            seen = "held" if reached else "not reached"
            words = "\n".join(f"{name}: {cell.seen}" for name, cell in cells.items())
            self.keep(f"asks, {mode}", Cell("runs unasked: " + ", ".join(ran) if ran else seen, words))

    def beside(self):
        """The project has Claude Code's hook as well, and some agents run that, too."""
        if self.register:
            return
        push = "git push --force origin main"
        steps = [
            shell("beside Claude's hook", "beside.txt"),
            Step("beside Claude's hook, deny", "shell", {"command": push}, marked(push)),
        ]
        self.world.guard_host("install", "claude", "--scope", "project")
        self.play_all(next(iter(self.driver.MODES)), steps)
        self.world.guard_host("uninstall", "claude", "--scope", "project")

    def broken(self):
        """The program fails, in several ways, in one run of the agent; then it works again."""
        self.guard("uninstall")
        not_driven = getattr(self.driver, "NOT_DRIVEN", ())
        self.install(*([] if "timeout" in not_driven else ["--timeout", "5"]))
        steps = []
        for kind in BROKEN:
            if kind in not_driven:
                self.keep(f"broken: {kind}", Cell("not driven"))
                continue
            name = "broken-" + kind.replace(" ", "-") + ".txt"
            steps.append(shell(f"broken: {kind}", name, before=lambda kind=kind: self.world.put(kind)))
        steps.append(shell("repaired", "repaired.txt", before=self.world.put_working))

        def record(step, cell):
            if step.cell != "repaired" and cell.seen != "not reached":
                cell.seen = "open" if cell.seen == "runs" else "closed"
            if step.cell == "broken: not executable" and self.world.made_executable:
                cell.seen = "made executable"
            self.keep(step.cell, cell)

        self.play_all(next(iter(self.driver.MODES)), steps, record=record)

    def served(self):
        """A busy server decides; it is killed, and comes back, in one run of the agent."""
        if self.register or not getattr(self.driver, "served", lambda agent: False)(self.agent):
            return
        self.guard("uninstall")
        self.install("--http")
        server = Server(self.world)
        push = "git push --force origin main"
        steps = [
            shell("served", "served.txt"),
            Step("served, deny", "shell", {"command": push}, marked(push)),
            shell("server killed", "killed.txt", before=server.kill),
            Step("server killed, deny", "shell", {"command": push}, marked(push)),
            shell("server back", "back.txt", before=server.start),
            Step("server back, deny", "shell", {"command": push}, marked(push)),
        ]

        def record(step, cell):
            if step.cell == "server killed" and cell.seen != "not reached":
                cell.seen = "open" if cell.seen == "runs" else "closed"
            self.keep(step.cell, cell)

        server.start()
        try:
            self.play_all(next(iter(self.driver.MODES)), steps, record=record)
        finally:
            server.end()
        self.guard("uninstall")
        self.install()

    def screen(self):
        """What a person is asked, and what the answers do. An older version may greet its user in other ways."""
        if hasattr(self.driver, "screen") and self.agent.is_newest:
            cells, text = screens.check(self)
            for name, seen in cells.items():
                self.keep(name, Cell(seen, text))
            if hasattr(self.driver, "APPROVES"):
                self.doctor("doctor, approved")

    ALL = ("control", "uninstall", "doctor", "main", "ask", "asks", "beside", "broken", "served", "screen")

    def all(self, only):
        for check in self.ALL:
            if check == "doctor":
                self.install()
            if not only or check in only or check == "control":
                getattr(self, check)()
