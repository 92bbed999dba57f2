"""The types of the contract as the bindings of a component have them; `wit/` says what each field means.

A type checker sees these, and outside of a component they are what the host's functions give.
"""

from dataclasses import dataclass
from enum import Enum


class Outcome(Enum):
    """What a policy says of a call, least severe first."""

    ABSTAIN = 0
    ALLOW = 1
    WARN = 2
    ASK = 3
    DENY = 4


class Fault(Enum):
    """Why the host did not give what was asked for."""

    ABSENT = 0
    DENIED = 1
    TOO_LARGE = 2
    NOT_TEXT = 3
    FAILED = 4


class Presence(Enum):
    """A fact that can also be unknown."""

    YES = 0
    NO = 1
    UNKNOWN = 2


class Level(Enum):
    """How much a log line matters."""

    ERROR = 0
    WARN = 1
    INFO = 2
    DEBUG = 3


class Coverage(Enum):
    """How far the text of the call was understood."""

    COMPLETE = 0
    PARTIAL = 1
    UNPARSED = 2


class Severity(Enum):
    """How much an effect loses, least severe first."""

    ROUTINE = 0
    NOTABLE = 1
    DESTRUCTIVE = 2
    CATASTROPHIC = 3


@dataclass
class Finding:
    """One reason for an outcome. `Rule.finding` makes one."""

    rule: str
    outcome: Outcome
    message: str
    remedy: str
    tags: list[tuple[str, str]]


@dataclass
class Decision:
    """The answer of a policy to a call."""

    outcome: Outcome
    findings: list[Finding]


@dataclass
class Rule:
    """A rule as the host is given it."""

    id: str
    summary: str
    default: Outcome
    ceiling: Outcome


@dataclass
class Example:
    """An example as the host is given it."""

    tool: str
    input: str
    outcome: Outcome
    rule: str


@dataclass
class Manifest:
    """The manifest as the host is given it."""

    id: str
    version: str
    summary: str
    tools: list[str]
    rules: list[Rule]
    grants: list[str]
    examples: list[Example]


@dataclass
class ResolvedPath:
    """A path and what the machine says of it. Empty: not known."""

    raw: str
    lexical: str
    canonical: str
    project_relative: str
    git_root: str
    exists: Presence
    kind: str


@dataclass
class Facts:
    """Facts of the call. Empty: not known."""

    cwd: str
    project_root: str
    home: str
    session: str
    harness: str
    permission_mode: str
    original_tool: str


@dataclass
class Span:
    """A half-open range of bytes."""

    start: int
    end: int


@dataclass
class Part:
    """A piece of a word."""

    kind: str
    text: str
    quoted: bool


@dataclass
class Word:
    """A word of a command."""

    text: str
    dynamic: bool
    quoted: bool
    glob: bool
    parts: list[Part]


@dataclass
class Assignment:
    """`NAME=value` before a command, or alone."""

    name: str
    value: Word


@dataclass
class Redirection:
    """A redirection of a command."""

    fd: int
    operator: str
    target: Word
    body: str
    body_quoted: bool


@dataclass
class Position:
    """Where a command stands."""

    pipeline: int
    index: int
    length: int
    operator: str
    background: bool
    within: list[str]


@dataclass
class Via:
    """How a command came to run, such as `sudo` with a user."""

    kind: str
    detail: str


@dataclass
class Command:
    """A command that runs, or that may run."""

    id: int
    parent: int
    argv: list[Word]
    assignments: list[Assignment]
    redirections: list[Redirection]
    position: Position
    via: list[Via]
    span: Span
    cwd: str
    certain: bool


@dataclass
class Effect:
    """Something that a command, or the tool itself, does to the world."""

    kind: str
    operation: str
    severity: Severity
    target: str
    path: ResolvedPath
    command_id: int
    certain: bool
    tags: list[tuple[str, str]]


@dataclass
class Script:
    """A text in another language that a command runs."""

    language: str
    text: str
    command_id: int
    certain: bool


@dataclass
class Analysis:
    """All that is known of one call."""

    coverage: Coverage
    reasons: list[str]
    commands: list[Command]
    effects: list[Effect]
    scripts: list[Script]


@dataclass
class ProjectManifest:
    """A file that says what a package is made of, of the package `guard:facts@0.2.0`."""

    path: str
    kind: str
    name: str
    version: str
    manager: str
    dependencies: list[tuple[str, str]]
    scripts: list[tuple[str, str]]


@dataclass
class Event:
    """An effect of an earlier call, or how the call ended, of the package `guard:facts@0.3.0`."""

    number: int
    time: str
    kind: str
    tool: str
    target: str
    certain: bool
    tags: list[tuple[str, str]]
