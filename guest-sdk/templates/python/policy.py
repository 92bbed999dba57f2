"""my-policy: a policy of guard-host.

It sees what a tool call does, not how it is spelled: commands with their wrappers peeled off, and effects with a stable
name and a severity. Each rule below is one function; add yours beside them, and a case to `fixtures/`.

Everything at the top of this module runs once, when it is built; what it makes is frozen into policy.wasm.
"""

import functools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import analysis, context
from wit_world.imports.context import Facts
from wit_world.imports.syntax import Command, Coverage, Effect, Severity
from wit_world.imports.types import Decision, Example, Finding, Manifest, Outcome, Rule

# What runs a command as another user.
ELEVATORS = ("sudo", "doas", "su")
PACKAGE_MANAGERS = ("npm", "pnpm", "yarn", "pip", "pip3")
REGISTRY_OPTIONS = ("--registry", "--index-url", "--extra-index-url")

# The settings in guard.toml, with their defaults.
DEFAULTS: dict[str, Any] = {
    "protected-branches": ["main", "master"],
    "scratch": ["/tmp"],
    "registry": "",
    "allowed-hosts": ["localhost", "127.0.0.1"],
}

configured = DEFAULTS


def telling[**Given, Answer](function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Tells what nobody caught, and where it was raised. Anything but `Err` would end the policy without a word."""

    @functools.wraps(function)
    def call(*given: Given.args, **named: Given.kwargs) -> Answer:
        try:
            return function(*given, **named)
        except Err:
            raise
        except Exception as error:
            # Without the module `traceback`, which reads source files.
            place = error.__traceback__
            while place is not None and place.tb_next is not None:
                place = place.tb_next
            line = "?" if place is None else place.tb_lineno
            raise Err(f"{type(error).__name__} in line {line}: {error}")

    return call


class Policy(exports.Policy):
    """What the component exports."""

    def describe(self) -> Manifest:
        return Manifest(
            id="my-policy",
            version="0.1.0",
            summary="keeps changes in the project, branches whole, and traffic to known hosts",
            tools=["Bash", "Write", "Edit", "MultiEdit", "NotebookEdit"],
            rules=[
                rule("protected-branch", "a protected branch is rewritten or removed", Outcome.DENY),
                rule("outside-project", "a change outside of the project", Outcome.ASK),
                rule("elevated", "a command with the rights of another user", Outcome.ASK),
                rule("foreign-registry", "packages from another registry", Outcome.ASK),
                rule("unknown-host", "a connection to a host that is not allowed", Outcome.ASK),
                rule("private-key", "a private key in the text of a file", Outcome.DENY),
                rule("unclear", "a command that cannot be followed to its end", Outcome.ASK),
            ],
            grants=[],
            examples=[
                Example("Bash", '{"command": "git push --force origin main"}', Outcome.DENY, "protected-branch"),
                Example("Bash", '{"command": "sudo ls"}', Outcome.ASK, "elevated"),
                Example("Bash", '{"command": "ls"}', Outcome.ABSTAIN, ""),
            ],
        )

    @telling
    def configure(self, settings: str) -> None:
        global configured
        # What is raised as `Err` is told to the person who wrote the settings.
        given = read(settings)
        for key, value in given.items():
            if key not in DEFAULTS:
                raise Err(f"unknown setting `{key}`")
            if key == "registry":
                if not isinstance(value, str):
                    raise Err(f"`{key}` is not a string")
            elif not isinstance(value, list) or not all(isinstance(one, str) for one in value):
                raise Err(f"`{key}` is not a list of strings")
        configured = {**DEFAULTS, **given}

    @telling
    def decide(self, tool: str, input: str) -> Decision:
        known = analysis.current()
        facts = context.get()
        findings = [
            *(found for effect in known.effects for found in protected_branch(effect)),
            *(found for effect in known.effects for found in outside_project(effect, facts)),
            *(found for command in known.commands for found in elevated(command, facts)),
            *(found for command in known.commands for found in foreign_registry(command)),
            *(found for effect in known.effects for found in unknown_host(effect)),
            *private_keys(read(input)),
        ]
        if tool == "Bash" and known.coverage != Coverage.COMPLETE:
            remedy = "write it without names that are known only at run time"
            findings.append(finding("unclear", Outcome.ASK, "the command cannot be followed to its end", remedy))
        outcome = max((found.outcome for found in findings), key=lambda one: one.value, default=Outcome.ABSTAIN)
        return Decision(outcome, findings)


def read(text: str) -> dict[str, Any]:
    """The object that a JSON text is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Err(f"it is no JSON: {error}")
    if not isinstance(value, dict):
        raise Err("it is not an object")
    return value


def rule(id: str, summary: str, default: Outcome) -> Rule:
    return Rule(id, summary, default, ceiling=Outcome.DENY)


def finding(rule: str, outcome: Outcome, message: str, remedy: str) -> Finding:
    return Finding(rule, outcome, message, remedy, tags=[])


def protected_branch(effect: Effect) -> Iterator[Finding]:
    operation, branch = effect.operation, effect.target
    if not operation.startswith("git.push."):
        return
    if not branch:
        message = f"`{operation}` names no branch, and the current one may be protected"
        yield finding("protected-branch", Outcome.ASK, message, "name the branch that you mean")
    elif branch in configured["protected-branches"]:
        message = f"`{operation}` would rewrite or remove `{branch}`, a protected branch"
        remedy = "push a branch of your own and open a pull request"
        yield finding("protected-branch", Outcome.DENY, message, remedy)


def outside_project(effect: Effect, facts: Facts) -> Iterator[Finding]:
    path = effect.path
    if effect.kind not in ("write", "delete", "metadata") or not path.raw or path.project_relative:
        return
    if any(is_below(path.canonical, folder) for folder in configured["scratch"]):
        return
    is_loss = effect.severity in (Severity.DESTRUCTIVE, Severity.CATASTROPHIC)
    outcome = Outcome.DENY if is_loss else Outcome.ASK
    message = f"`{effect.target}` lies outside of the project"
    yield finding("outside-project", outcome, message, f"stay below `{facts.project_root}`")


def elevated(command: Command, facts: Facts) -> Iterator[Finding]:
    kinds = [*(via.kind for via in command.via), program_of(command)]
    by = next((kind for kind in kinds if kind in ELEVATORS), None)
    if by is None:
        return
    # Nobody is asked in this mode.
    outcome = Outcome.DENY if facts.permission_mode == "bypassPermissions" else Outcome.ASK
    first = command.argv[0].text if command.argv else ""
    message = f"`{first}` runs with the rights of another user"
    yield finding("elevated", outcome, message, f"run it without `{by}`")


def foreign_registry(command: Command) -> Iterator[Finding]:
    program = program_of(command)
    if program not in PACKAGE_MANAGERS:
        return
    registry = configured["registry"]
    remedy = f"use `{registry}`" if registry else "leave the option out"
    words = [word.text for word in command.argv]
    for word, following in zip(words, [*words[1:], None]):
        value = registry_named_by(word, following)
        if value is not None and value.rstrip("/") != registry.rstrip("/"):
            message = f"`{program}` would take packages from `{value}`"
            yield finding("foreign-registry", Outcome.ASK, message, remedy)


def unknown_host(effect: Effect) -> Iterator[Finding]:
    if effect.kind != "network":
        return
    if not effect.certain:
        message = f"where `{effect.target}` leads is known only at run time"
        yield finding("unknown-host", Outcome.ASK, message, "write the address out")
        return
    host = host_of(effect.target)
    if not any(host == allowed or host.endswith(f".{allowed}") for allowed in configured["allowed-hosts"]):
        message = f"`{host}` is not one of the allowed hosts"
        yield finding("unknown-host", Outcome.ASK, message, "have it added to `allowed-hosts`")


def private_keys(input: dict[str, Any]) -> Iterator[Finding]:
    paths = (input.get("file_path"), input.get("notebook_path"))
    file = next((path for path in paths if isinstance(path, str)), "")
    for key in ("content", "new_string", "new_source"):
        text = input.get(key)
        if isinstance(text, str) and "PRIVATE KEY-----" in text:
            message = f"the text for `{file}` holds a private key"
            yield finding("private-key", Outcome.DENY, message, "refer to the key by its path")


def program_of(command: Command) -> str:
    """The program's name without its folder."""
    return command.argv[0].text.rsplit("/", 1)[-1] if command.argv else ""


def registry_named_by(word: str, following: str | None) -> str | None:
    """The registry that a word names, alone or together with the next one."""
    if word in REGISTRY_OPTIONS:
        return following
    option, is_given, value = word.partition("=")
    return value if is_given and option in REGISTRY_OPTIONS else None


def host_of(address: str) -> str:
    """The host of an address, with or without scheme, user, port and path."""
    _, scheme, rest = address.partition("://")
    authority = re.split("[/?#]", rest if scheme else address, maxsplit=1)[0]
    return authority.rsplit("@", 1)[-1].split(":", 1)[0]


def is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
