"""Globs over paths, as guard-host's own settings take them. `globs.json` beside this package has the cases."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

# The longest pattern in bytes, and the most patterns that the braces of one may stand for.
LONGEST, ALTERNATIVES = 1024, 64

# A pattern for one component of a path: characters, `?` and `*` as they are, and sets as ranges, with whether it is those.
Set = tuple[list[tuple[str, str]], bool]
Token = tuple[str, str] | Set
# What stands between two slashes; none is `**`.
Step = list[Token] | None

ONE, MANY = ("?", ""), ("*", "")

P = TypeVar("P")
T = TypeVar("T")


class _Problem(Exception):
    """Why a text is no pattern."""


def glob(pattern: str, path: str) -> bool:
    """Whether a pattern matches a whole path, in the dialect of guard-host's settings.

    `*` and `?` stay within a component, `**` is any number of components, `[a-z]` and `[!a-z]` are sets, `{a,b}` is
    either text. Raises `ValueError` if the text is no pattern.
    """
    alternatives = parsed(pattern)
    components = path.split("/")
    return pattern == path or any(_fits(steps, components, _step_fits, _is_any) for steps in alternatives)


@lru_cache(maxsize=256)
def parsed(pattern: str) -> list[list[Step]]:
    """Reads a pattern."""
    try:
        return [[_step(text) for text in one.split("/")] for one in _braces(pattern)]
    except _Problem as problem:
        raise ValueError(f"the pattern `{pattern}`: {problem}") from None


def _fits(pattern: Sequence[P], items: Sequence[T], one: Callable[[P, T], bool], many: Callable[[P], bool]) -> bool:
    """Matches from the left; after a mismatch the last item that stands for any number takes one more."""
    at = place = 0
    retry: tuple[int, int] | None = None
    while True:
        if at < len(pattern) and many(pattern[at]):
            # At the end it takes all that is left; `**` takes at least one component.
            if at + 1 == len(pattern):
                return pattern[at] is not None or place < len(items)
            at += 1
            retry = (at, place)
        elif place == len(items):
            return at == len(pattern)
        elif at < len(pattern) and one(pattern[at], items[place]):
            at, place = at + 1, place + 1
        elif retry is not None:
            retry = (retry[0], retry[1] + 1)
            at, place = retry
        else:
            return False


def _is_any(step: Step) -> bool:
    return step is None


def _step_fits(step: Step, component: str) -> bool:
    return step is not None and _fits(step, component, _token_fits, lambda token: token == MANY)


def _token_fits(token: Token, char: str) -> bool:
    if token == ONE:
        return True
    what, wanted = token
    if isinstance(what, str):
        return wanted == char
    return any(first <= char <= last for first, last in what) == wanted


def _step(text: str) -> Step:
    if text == "**":
        return None
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        if char == "\\":
            if at == len(text):
                raise _Problem("it ends with a backslash")
            tokens.append(("char", text[at]))
            at += 1
        elif char == "?":
            tokens.append(ONE)
        elif char == "*":
            tokens.append(MANY)
        elif char == "[":
            token, at = _set(text, at)
            tokens.append(token)
        else:
            tokens.append(("char", char))
    return tokens


def _set(text: str, at: int) -> tuple[Set, int]:
    """The set whose first character stands at `at`, and where it ends."""
    wanted = text[at : at + 1] not in ("!", "^")
    at += not wanted
    ranges: list[tuple[str, str]] = []
    # A `]` at the start is one of its characters.
    while not ranges or text[at : at + 1] != "]":
        if at >= len(text):
            raise _Problem("a `[` is not closed")
        first = last = text[at]
        at += 1
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] not in ("", "]"):
            last = text[at + 1]
            at += 2
        if last < first:
            raise _Problem("a range of a set runs backwards")
        ranges.append((first, last))
    return (ranges, wanted), at + 1


def _braces(text: str) -> list[str]:
    """The patterns that the braces of one stand for."""
    if not text:
        raise _Problem("it is empty")
    if len(text.encode("utf-8", "surrogatepass")) >= LONGEST:
        raise _Problem("it is longer than 1,024 bytes")
    done: list[str] = []
    open = [text]
    while open:
        pattern = open.pop()
        cuts = _first_braces(pattern)
        if cuts:
            before, after = pattern[: cuts[0]], pattern[cuts[-1] + 1 :]
            open += [before + pattern[start + 1 : end] + after for start, end in zip(cuts, cuts[1:])]
        else:
            done.append(pattern)
        if len(done) + len(open) > ALTERNATIVES:
            raise _Problem("its braces stand for more than 64 patterns")
    return done


def _first_braces(text: str) -> list[int]:
    """Where the first braces and the commas of their own stand; nothing if there are none.

    A brace in a set or behind a backslash is a character.
    """
    cuts: list[int] = []
    depth, escaped = 0, False
    set_start: int | None = None
    for at, char in enumerate(text):
        if escaped:
            escaped = False
        elif set_start is not None:
            if char == "]" and at > set_start:
                set_start = None
        elif char == "\\":
            escaped = True
        elif char == "[":
            set_start = at + (2 if text[at + 1 : at + 2] in ("!", "^") else 1)
        elif char == "{":
            depth += 1
            if depth == 1:
                cuts.append(at)
        elif char == "," and depth == 1:
            cuts.append(at)
        elif char == "}":
            if depth == 0:
                raise _Problem("a `}` has no `{` before it")
            depth -= 1
            if depth == 0:
                return [*cuts, at]
    if depth > 0:
        raise _Problem("a `{` is not closed")
    return []
