"""Asks a policy natively, in an ordinary test. The machine of the test is never asked.

A policy that imports from `wit_world` itself is imported after this module.
"""

import copy
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import _native
from ._call import is_below
from ._host import Err
from ._paths import Disk, resolve, unresolved
from ._policy import Exported
from ._shapes import Event, ProjectManifest
from .contract import (
    Analysis,
    Command,
    Coverage,
    Decision,
    Effect,
    Facts,
    Fault,
    Level,
    Part,
    Position,
    Presence,
    ResolvedPath,
    Script,
    Severity,
    Span,
    Via,
    Word,
)
from .errors import PolicyError

__all__ = ["Event", "Git", "ProjectManifest", "World", "command", "effect", "event", "facts", "word"]

# The limits of a journal.
LINES, LINE_BYTES = 64, 16 << 10

_FILE_KINDS = ("read", "write", "delete", "metadata")
_FAMILIES = {"git": "vcs", "sql": "database", "mongo": "database", "redis": "database"}


def facts(
    *,
    cwd: str = "/repo",
    project_root: str = "/repo",
    home: str = "/home/u",
    session: str = "s1",
    harness: str = "claude",
    permission_mode: str = "default",
    original_tool: str = "",
) -> Facts:
    """Where a call happens, with what differs from the usual."""
    return Facts(cwd, project_root, home, session, harness, permission_mode, original_tool)


def effect(
    operation: str,
    target: str = "",
    *,
    kind: str | None = None,
    severity: Severity = Severity.ROUTINE,
    path: str | None = None,
    command_id: int = 0,
    certain: bool = True,
    tags: Mapping[str, str] | None = None,
) -> Effect:
    """An effect. Its kind is that of the operation unless it is given, and an effect on files has its target as `path`."""
    family, _, what = operation.partition(".")
    if kind is None and family == "fs":
        what = what.partition(".")[0]
        kind = what if what in _FILE_KINDS else "metadata"
    kind = kind or _FAMILIES.get(family, family)
    if path is None:
        path = target if kind in _FILE_KINDS else ""
    pairs = list((tags or {}).items())
    return Effect(kind, operation, severity, target, unresolved(path), command_id, certain, pairs)


def event(
    kind: str,
    target: str = "",
    *,
    tool: str = "Bash",
    time: str = "",
    certain: bool = True,
    tags: Mapping[str, str] | None = None,
) -> Event:
    """Something that happened in the session before. Its number is its place in the world's `history`, counted from 1."""
    return Event(0, time, kind, tool, target, certain, list((tags or {}).items()))


def word(text: str, *, dynamic: bool = False, quoted: bool = False, glob: bool = False) -> Word:
    """A word of a command."""
    return Word(text, dynamic, quoted, glob, [Part("literal", text, quoted)])


def command(
    words: str | Sequence[str | Word],
    *,
    via: Sequence[str | Via] = (),
    parent: int = 0,
    cwd: str = "/repo",
    certain: bool = True,
) -> Command:
    """A command of these words; a text is taken apart at its blanks. A via may be its kind alone."""
    listed = words.split() if isinstance(words, str) else words
    return Command(
        id=0,
        parent=parent,
        argv=[word(one) if isinstance(one, str) else one for one in listed],
        assignments=[],
        redirections=[],
        position=Position(1, 0, 1, "", False, []),
        via=[Via(one, "") if isinstance(one, str) else one for one in via],
        span=Span(0, 0),
        cwd=cwd,
        certain=certain,
    )


@dataclass
class Git:
    """What git says of the project, for `guard_host_policy.facts`."""

    branch: str = ""
    """The branch that is checked out."""
    tracked: Mapping[str, Presence] = field(default_factory=dict)
    """By absolute path; of another path it is not known."""
    staged: Mapping[str, Presence] = field(default_factory=dict)
    ignored: Mapping[str, Presence] = field(default_factory=dict)


@dataclass
class World:
    """All that a policy can see in a test."""

    effects: Sequence[Effect] | None = None
    """What the call does. Without it, a file tool reads or writes its file, and another tool does nothing."""
    commands: Sequence[Command] = ()
    scripts: Sequence[Script] = ()
    coverage: Coverage = Coverage.COMPLETE
    reasons: Sequence[str] = ()
    facts: Facts = field(default_factory=facts)
    files: Mapping[str, str] = field(default_factory=dict)
    """Texts of files by absolute path."""
    dirs: Collection[str] = ()
    """Folders that exist. Those above a file, a link or a folder exist too."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Links, from the link's absolute path to where it leads."""
    repository: bool = True
    """Whether the project is a git repository, unless `files` or `links` say what its `.git` is."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables."""
    git: Git = field(default_factory=Git)
    """What git says, for `guard_host_policy.facts`."""
    manifests: Mapping[str, Sequence[ProjectManifest]] = field(default_factory=dict)
    """The manifests of folders by absolute path, for `guard_host_policy.facts`."""
    earlier: Sequence[Effect] = ()
    """The effects that come before, whatever `guard_host_policy.facts` is asked about."""
    history: Sequence[Event] = ()
    """What happened in the session before, oldest first, for `guard_host_policy.facts`."""
    faults: Mapping[str, Fault] = field(default_factory=dict)
    """What the host refuses: a path, a folder with manifests, a variable, a journal or `history`, and the fault.

    `FAILED` for `history`: the list is damaged.
    """
    journal: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """The lines that the policy wanted written in the last call: the stream and the object."""
    log: list[tuple[Level, str]] = field(default_factory=list)
    """What the policy noted in the last call."""

    def decide(
        self,
        policy: type[Exported],
        tool: str,
        input: Mapping[str, Any],
        settings: Mapping[str, Any] | None = None,
    ) -> Decision:
        """Configures the policy and asks it about a call. A fault is a `PolicyError` with the text that the host shows."""
        self.journal, self.log = [], []
        asked = policy()
        try:
            # No fact can be asked for while a policy is configured.
            asked.configure(json.dumps(dict(settings or {})))
            with _native.within(_Answers(self, tool, input)):
                return asked.decide(tool, json.dumps(dict(input)))
        except Err as error:
            raise PolicyError(str(error.value)) from None


class _Answers:
    """What the host's functions answer."""

    def __init__(self, world: World, tool: str, input: Mapping[str, Any]) -> None:
        self._world = world
        self._tool, self._input = tool, input
        git = f"{world.facts.project_root}/.git"
        is_implied = world.repository and git not in world.files and git not in world.links
        self._disk = Disk(world.files, world.links, [*world.dirs, *([git] if is_implied else [])])

    def analysis(self) -> Analysis:
        world = self._world
        effects = _of_tool(self._tool, self._input) if world.effects is None else world.effects
        analysis = Analysis(world.coverage, list(world.reasons), list(world.commands), list(effects), list(world.scripts))
        analysis = copy.deepcopy(analysis)
        for number, one in enumerate(analysis.commands, 1):
            one.id = one.id or number
        for touched in analysis.effects:
            if touched.path.raw and not touched.path.lexical:
                touched.path = self.resolve(touched.path.raw)
        return analysis

    def context(self) -> Facts:
        return copy.copy(self._world.facts)

    def resolve(self, path: str) -> ResolvedPath:
        return resolve(self._disk, self._world.facts, path)

    def read_text(self, path: str) -> str:
        return self._value(self._world.files, path if path in self._world.faults else self.resolve(path).canonical)

    def env(self, name: str) -> str:
        return self._value(self._world.env, name)

    def _value(self, values: Mapping[str, str], name: str) -> str:
        if name in self._world.faults:
            raise Err(self._world.faults[name])
        if name not in values:
            raise Err(Fault.ABSENT)
        return values[name]

    def append(self, stream: str, line: str) -> None:
        if stream in self._world.faults:
            raise Err(self._world.faults[stream])
        if len(self._world.journal) >= LINES or len(line.encode()) > LINE_BYTES:
            raise Err(Fault.TOO_LARGE)
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise Err(Fault.FAILED)
        self._world.journal.append((stream, value))

    def branch(self, path: str) -> str:
        return self._world.git.branch if self.resolve(path).git_root else ""

    def presence(self, what: str, path: str) -> Presence:
        answers: Mapping[str, Presence] = getattr(self._world.git, what)
        asked = self.resolve(path)
        # Of a link, git keeps the link.
        return answers.get(asked.lexical, Presence.UNKNOWN) if asked.git_root else Presence.UNKNOWN

    def manifests(self, path: str) -> list[ProjectManifest]:
        world = self._world
        folder = self.resolve(path).canonical
        while is_below(folder, world.facts.project_root):
            if folder in world.faults:
                raise Err(world.faults[folder])
            if folder in world.manifests:
                return copy.deepcopy(list(world.manifests[folder]))
            folder = folder.rpartition("/")[0]
        return []

    def earlier(self, command_id: int, path: str) -> list[Effect]:
        return copy.deepcopy(list(self._world.earlier))

    def events(self, kind: str) -> list[Event]:
        if "history" in self._world.faults:
            raise Err(self._world.faults["history"])
        counted = [replace(one, number=number) for number, one in enumerate(self._world.history, 1)]
        return copy.deepcopy([one for one in counted if kind in ("", one.kind)])

    def note(self, level: Level, text: str) -> None:
        self._world.log.append((level, text))


def _of_tool(tool: str, input: Mapping[str, Any]) -> list[Effect]:
    """What a file tool does."""
    writes = tool in ("Write", "Edit", "MultiEdit", "NotebookEdit")
    if not writes and tool != "Read":
        return []
    operation, severity = ("fs.write", Severity.NOTABLE) if writes else ("fs.read", Severity.ROUTINE)
    paths = [input.get(key) for key in ("file_path", "path", "notebook_path")]
    return [effect(operation, path, severity=severity, tags={"by": tool}) for path in paths if isinstance(path, str)]
