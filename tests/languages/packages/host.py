"""Asks the host for all that it gives, with the package for Python; host.toml has the answers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from guard_host_policy import (
    Call,
    Finding,
    Globs,
    Level,
    Manifest,
    Outcome,
    PolicyError,
    Rule,
    define_policy,
    glob,
    tags_of,
    text_of,
)
from guard_host_policy.facts import git

TOLD = Rule("told", "what the host says", Outcome.WARN)

MANIFEST = Manifest(
    id="host",
    summary="tells what the host says",
    tools=["*"],
    rules=[TOLD],
    grants=["env:CI", "env:NONE", "read:./notes.txt", "read:./none.txt", "journal:calls"],
)


@dataclass
class Settings:
    paths: Globs = ("src/**/*.{js,ts}",)


def decide(call: Call, settings: Settings) -> Iterator[Finding]:
    ungranted = attempt(lambda: call.env("HOME", "absent"))
    answers = [call.env("CI", "absent"), call.env("NONE", "absent"), ungranted]
    missing = attempt(lambda: call.read_text("none.txt"))
    answers += [call.read_text("notes.txt").strip(), call.read_text("none.txt", "absent"), missing]
    answers += [call.resolve("out/x").canonical, call.facts.home]
    said = [git.tracked("notes.txt"), git.ignored("notes.txt")]
    answers += [git.branch("notes.txt"), *(presence.name.lower() for presence in said)]
    parts = [", ".join(answers)]
    for effect in call.effects("fs."):
        command = call.command_of(effect)
        by = tags_of(effect).get("by") if command is None else text_of(command)
        is_source = any(glob(path, effect.path.project_relative) for path in settings.paths)
        parts.append(f"{effect.operation} {effect.target} by {by}, {'a' if is_source else 'no'} source")
    yield TOLD.finding("; ".join(parts))
    call.journal("calls", {"tool": call.tool, "text": "é"})
    call.log("told", Level.DEBUG)


def attempt(question: Callable[[], str]) -> str:
    try:
        return question()
    except PolicyError as error:
        return str(error)


Policy = define_policy(MANIFEST, decide, Settings)
