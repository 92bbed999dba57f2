"""`Call`: the tool call that is decided, and the facts around it."""

import json
import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

from ._folders import keep_possible
from ._host import Err, analysis, context, env, files, journal, log
from .contract import Analysis, Command, Effect, Facts, Fault, Level, ResolvedPath
from .errors import PolicyError


class Call:
    """The tool call that is decided, and the facts around it."""

    def __init__(self, tool: str, input: str) -> None:
        self.tool = tool
        """The tool's name, such as `Bash`."""
        self.input = read_object(input)
        """The tool's input."""

    @property
    def command(self) -> str:
        """The shell command of `Bash` and `PowerShell`, or an empty text."""
        return _text(self.input.get("command")) if self.tool in ("Bash", "PowerShell") else ""

    @property
    def path(self) -> str:
        """The file that the tool names, as written, or an empty text. Judge a file by `effects`, which know where it is."""
        paths = (self.input.get(key) for key in ("file_path", "path", "notebook_path"))
        return next((path for path in paths if isinstance(path, str)), "")

    @property
    def texts(self) -> list[str]:
        """The texts that the tool puts into a file."""
        edits = self.input.get("edits")
        parts = [self.input, *(edits if isinstance(edits, list) else [])]
        keys = ("content", "new_string", "new_source")
        texts = (part.get(key) for part in parts if isinstance(part, dict) for key in keys)
        return [text for text in texts if isinstance(text, str)]

    @cached_property
    def analysis(self) -> Analysis:
        """What the call does. Without effects of a copy into a folder that is none."""
        return keep_possible(analysis.current())

    @cached_property
    def facts(self) -> Facts:
        """Where the call happens."""
        facts: Facts = context.get()
        return facts

    def effects(self, *names: str) -> list[Effect]:
        """The effects of these names, in order; all without a name.

        A name is a kind (`write`), an operation (`package.publish`) or, with a dot at its end, a family of operations
        (`git.push.`).
        """
        effects = self.analysis.effects
        return [one for one in effects if any(_is_named(one, name) for name in names)] if names else effects

    def command_of(self, effect: Effect) -> Command | None:
        """The command that has an effect; none for a tool that is no shell."""
        return next((one for one in self.analysis.commands if one.id == effect.command_id), None)

    def resolve(self, path: str) -> ResolvedPath:
        """Where a path leads. Needs no grant."""
        resolved: ResolvedPath = files.resolve(path)
        return resolved

    def read_text(self, path: str, absent: str | None = None) -> str:
        """The text of a file that the configuration grants.

        If there is no such file: `absent`, or an error if that is not given. Any other fault is an error.
        """
        return _asked(lambda: files.read_text(path), f"the file `{path}`", absent)

    def env(self, name: str, absent: str | None = None) -> str:
        """The value of a variable that the configuration grants. `absent` as in `read_text`."""
        return _asked(lambda: env.get(name), f"the variable `{name}`", absent)

    def journal(self, stream: str, line: dict[str, Any]) -> None:
        """Adds a line to a journal that the configuration grants."""
        text = json.dumps(line, ensure_ascii=False)
        _asked(lambda: journal.append(stream, text) or "", f"the journal `{stream}`", None)

    def log(self, text: str, level: Level = Level.INFO) -> None:
        """Notes a line for `guard-host explain`."""
        log.log(level, text)


def _asked(question: Callable[[], str], what: str, absent: str | None) -> str:
    try:
        return question()
    except Err as error:
        if error.value == Fault.ABSENT and absent is not None:
            return absent
        fault = error.value.name.lower().replace("_", "-") if isinstance(error.value, Fault) else error.value
        raise PolicyError(f"{what} is {fault}") from None


def _is_named(effect: Effect, name: str) -> bool:
    if name.endswith("."):
        return effect.operation.startswith(name)
    return effect.operation == name if "." in name else effect.kind == name


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def read_object(text: str) -> dict[str, Any]:
    """The object that a JSON text is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PolicyError(f"it is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise PolicyError("it is not a JSON object")
    return value


def tags_of(effect: Effect) -> dict[str, str]:
    """The tags of an effect by name. Of two tags of one name the first one counts."""
    return dict(reversed(effect.tags))


def program_of(command: Command) -> str:
    """The program's name without its folder; empty if there is none."""
    return command.argv[0].text.rsplit("/", 1)[-1] if command.argv else ""


def text_of(command: Command) -> str:
    """The words of a command, joined by single blanks."""
    return " ".join(word.text for word in command.argv)


def host_of(address: str) -> str:
    """The host of an address, with or without scheme, user, port and path."""
    _, scheme, rest = address.partition("://")
    authority = re.split("[/?#]", rest if scheme else address, maxsplit=1)[0]
    return authority.rsplit("@", 1)[-1].split(":", 1)[0]


def is_below(path: str, folder: str) -> bool:
    """Whether a path is `folder` or lies below it. Both are absolute, without `..`."""
    return path == folder or path.startswith(folder if folder.endswith("/") else f"{folder}/")
