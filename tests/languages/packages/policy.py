"""The policy that same.toml describes, with the package for Python."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from guard_host_policy import (
    Call,
    Command,
    Coverage,
    Effect,
    Example,
    Finding,
    Manifest,
    Outcome,
    Rule,
    Severity,
    define_policy,
    host_of,
    is_below,
    program_of,
)

ASK, DENY = Outcome.ASK, Outcome.DENY

PROTECTED_BRANCH = Rule("protected-branch", "a protected branch is rewritten or removed", DENY)
OUTSIDE_PROJECT = Rule("outside-project", "a change outside of the project", ASK, ceiling=DENY)
ELEVATED = Rule("elevated", "a command with the rights of another user", ASK, ceiling=DENY)
FOREIGN_REGISTRY = Rule("foreign-registry", "packages from another registry", ASK, ceiling=DENY)
UNKNOWN_HOST = Rule("unknown-host", "a connection to a host that is not allowed", ASK, ceiling=DENY)
PRIVATE_KEY = Rule("private-key", "a private key in the text of a file", DENY)
UNCLEAR = Rule("unclear", "a command that cannot be followed to its end", ASK, ceiling=DENY)

MANIFEST = Manifest(
    id="team-rules",
    summary="keeps changes in the project, branches whole, and traffic to known hosts",
    tools=["Bash", "Write", "Edit", "MultiEdit", "NotebookEdit"],
    rules=[PROTECTED_BRANCH, OUTSIDE_PROJECT, ELEVATED, FOREIGN_REGISTRY, UNKNOWN_HOST, PRIVATE_KEY, UNCLEAR],
    examples=[
        Example({"command": "git push --force origin main"}, DENY, "protected-branch"),
        Example({"command": "sudo ls"}, ASK, "elevated"),
        Example({"command": "ls"}, Outcome.ABSTAIN),
    ],
)


@dataclass
class Settings:
    protected_branches: list[str] = field(default_factory=lambda: ["main", "master"])
    scratch: list[str] = field(default_factory=lambda: ["/tmp"])
    registry: str = ""
    allowed_hosts: tuple[str, ...] = ("localhost", "127.0.0.1")


def decide(call: Call, settings: Settings) -> Iterator[Finding]:
    for effect in call.effects("git.push."):
        yield from protected_branch(effect, settings)
    for effect in call.effects("write", "delete", "metadata"):
        yield from outside_project(effect, call, settings)
    for command in call.analysis.commands:
        yield from elevated(command, call)
    for command in call.analysis.commands:
        yield from foreign_registry(command, settings)
    for effect in call.effects("network"):
        yield from unknown_host(effect, settings)
    for text in call.texts:
        if "PRIVATE KEY-----" in text:
            message = f"the text for `{call.path}` holds a private key"
            yield PRIVATE_KEY.finding(message, remedy="refer to the key by its path")
    if call.tool == "Bash" and call.analysis.coverage != Coverage.COMPLETE:
        remedy = "write it without names that are known only at run time"
        yield UNCLEAR.finding("the command cannot be followed to its end", remedy=remedy)


def protected_branch(effect: Effect, settings: Settings) -> Iterator[Finding]:
    operation, branch = effect.operation, effect.target
    if not branch:
        message = f"`{operation}` names no branch, and the current one may be protected"
        yield PROTECTED_BRANCH.finding(message, outcome=ASK, remedy="name the branch that you mean")
    elif branch in settings.protected_branches:
        message = f"`{operation}` would rewrite or remove `{branch}`, a protected branch"
        yield PROTECTED_BRANCH.finding(message, remedy="push a branch of your own and open a pull request")


def outside_project(effect: Effect, call: Call, settings: Settings) -> Iterator[Finding]:
    path = effect.path
    if not path.raw or path.project_relative:
        return
    if any(is_below(path.canonical, folder) for folder in settings.scratch):
        return
    is_loss = effect.severity in (Severity.DESTRUCTIVE, Severity.CATASTROPHIC)
    remedy = f"stay below `{call.facts.project_root}`"
    message = f"`{effect.target}` lies outside of the project"
    yield OUTSIDE_PROJECT.finding(message, outcome=DENY if is_loss else ASK, remedy=remedy)


def elevated(command: Command, call: Call) -> Iterator[Finding]:
    kinds = [*(via.kind for via in command.via), program_of(command)]
    by = next((kind for kind in kinds if kind in ("sudo", "doas", "su")), None)
    if by is None:
        return
    outcome = DENY if call.facts.permission_mode == "bypassPermissions" else ASK
    first = command.argv[0].text if command.argv else ""
    message = f"`{first}` runs with the rights of another user"
    yield ELEVATED.finding(message, outcome=outcome, remedy=f"run it without `{by}`")


def foreign_registry(command: Command, settings: Settings) -> Iterator[Finding]:
    program = program_of(command)
    if program not in ("npm", "pnpm", "yarn", "pip", "pip3"):
        return
    remedy = f"use `{settings.registry}`" if settings.registry else "leave the option out"
    words = [word.text for word in command.argv]
    for word, following in zip(words, [*words[1:], None]):
        option = re.fullmatch("(?s)(?:--registry|--index-url|--extra-index-url)(?:=(.*))?", word)
        value = following if option is not None and option[1] is None else option and option[1]
        if value is not None and value.rstrip("/") != settings.registry.rstrip("/"):
            yield FOREIGN_REGISTRY.finding(f"`{program}` would take packages from `{value}`", remedy=remedy)


def unknown_host(effect: Effect, settings: Settings) -> Iterator[Finding]:
    if not effect.certain:
        message = f"where `{effect.target}` leads is known only at run time"
        yield UNKNOWN_HOST.finding(message, remedy="write the address out")
        return
    host = host_of(effect.target)
    if not any(host == allowed or host.endswith(f".{allowed}") for allowed in settings.allowed_hosts):
        message = f"`{host}` is not one of the allowed hosts"
        yield UNKNOWN_HOST.finding(message, remedy="have it added to `allowed-hosts`")


Policy = define_policy(MANIFEST, decide, Settings)
