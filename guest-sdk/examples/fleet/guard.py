"""Runs `guard-host check --batch` in a home of its own.

A process decides a lot of calls and ends. Its answer counts if it is whole: as many
verdicts as calls, and an exit code that fits them. Anything else is an error, so that
a task fails and a call that nobody decided is never one that does not differ.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from verdicts import UNREADABLE, Call, Said, call_line, lots, said

CONFIG = ".config/guard-host"
DATA = 65
UNREADABLE_CONFIG = 78

# A lot is small enough to be sent at once, and large enough that the start of a process
# does not count. `check --batch` keeps 7 MB for each folder of its calls.
LOT_CALLS = 10_000
LOT_BYTES = 16 << 20
LOT_FOLDERS = 32

# A process that says nothing for so long is ended.
START_SECONDS = 60.0
CALL_SECONDS = 0.25

CONFIG_FILES = 1000
CONFIG_BYTES = 64 << 20


class GuardFailed(Exception):
    """guard-host did not decide what it was asked."""


class BadConfig(Exception):
    """A configuration that no call should be decided by."""


class Setup(NamedTuple):
    """What a worker needs: the program, its version, both configurations."""

    program: str
    version: str
    first: dict[str, bytes]
    second: dict[str, bytes]


def pack(path: Path) -> dict[str, bytes]:
    """The files of a configuration: a guard.toml, or a folder that holds one."""
    if path.is_file():
        return {"guard.toml": path.read_bytes()}
    if not (path / "guard.toml").is_file():
        raise FileNotFoundError(
            f"`{path}` is neither a file nor a folder with a guard.toml"
        )
    files = sorted(file for file in path.rglob("*") if file.is_file())
    size = sum(file.stat().st_size for file in files)
    if len(files) > CONFIG_FILES or size > CONFIG_BYTES:
        raise BadConfig(f"`{path}` is too large for a configuration")
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


@contextmanager
def home(config: dict[str, bytes]) -> Iterator[Path]:
    """A home with this configuration, which is removed in the end."""
    with tempfile.TemporaryDirectory(prefix="fleet-") as name:
        folder = Path(name)
        for file, data in config.items():
            path = folder / CONFIG / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        folder.chmod(0o700)
        yield folder


def places(folder: Path) -> list[str]:
    """The options that keep a process to its home, also if the program is a script."""
    config = folder / CONFIG / "guard.toml"
    state, cache = folder / ".local/state/guard-host", folder / ".cache/guard-host"
    return ["--config", f"{config}", "--state", f"{state}", "--cache", f"{cache}"]


def environment(folder: Path) -> dict[str, str]:
    """The variables of a process: a home, and nothing of the worker's user."""
    path = os.environ.get("PATH", "/usr/bin:/bin")
    return {"HOME": str(folder), "PATH": path, "LANG": "C.UTF-8"}


def _run(
    program: str, arguments: Sequence[str], folder: Path, given: bytes, seconds: float
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            [program, *arguments],
            input=given,
            capture_output=True,
            cwd=folder,
            env=environment(folder),
            timeout=seconds,
            check=False,
        )
    except OSError as error:
        raise GuardFailed(f"`{program}` does not start: {error}") from error
    except subprocess.TimeoutExpired as error:
        raise GuardFailed(f"`{program}` gives no answer for {seconds:.0f} s") from error


def _end(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _tail(text: bytes) -> str:
    told = text.decode("utf-8", "replace").strip()[-500:]
    return f": {told}" if told else ""


def version(program: str) -> str:
    """The version and the digests of both programs."""
    with home({}) as folder:
        ended = _run(program, ["self", "version"], folder, b"", START_SECONDS)
    if ended.returncode != 0:
        raise GuardFailed(f"`{program} self version`: {_end(ended.returncode)}")
    return ended.stdout.decode("utf-8", "replace").strip()


def check_config(program: str, path: Path, config: dict[str, bytes]) -> None:
    """Refuses a configuration with mistakes, for each verdict would be an ask."""
    with home(config) as folder:
        ended = _run(
            program,
            ["config", "check", *places(folder)],
            folder,
            b"",
            START_SECONDS * 5,
        )
        told = (ended.stdout + ended.stderr).decode("utf-8", "replace").strip()
        told = told.replace(str(folder / CONFIG / "guard.toml"), str(path))
    if ended.returncode != 0:
        raise BadConfig(f"`{path}`: {_end(ended.returncode)}: {told}")


def verdicts(program: str, folder: Path, lot: Sequence[Call]) -> list[Said]:
    """The verdicts of a lot, in its order."""
    given = b"".join(call_line(call) for call in lot)
    seconds = START_SECONDS + CALL_SECONDS * len(lot)
    ended = _run(program, ["check", "--batch", *places(folder)], folder, given, seconds)
    lines = ended.stdout.splitlines()
    asked = f"{len(lines)} of {len(lot)} verdicts, {_end(ended.returncode)}"
    if ended.returncode not in (0, DATA) or len(lines) != len(lot):
        raise GuardFailed(f"guard-host broke off: {asked}{_tail(ended.stderr)}")
    try:
        found = [said(line) for line in lines]
    except ValueError as error:
        raise GuardFailed(f"guard-host gave no verdict: {error}; {asked}") from error
    has_bad = any(one.outcome == UNREADABLE for one in found)
    if has_bad != (ended.returncode == DATA):
        raise GuardFailed(
            f"guard-host contradicts itself: {asked}{_tail(ended.stderr)}"
        )
    return found


def decide(
    setup: Setup, calls: Iterable[Call]
) -> Iterator[tuple[list[Call], list[Said], list[Said]]]:
    """The calls in lots, with the verdicts of both configurations.

    Calls of one folder should follow one another.
    """
    if (here := version(setup.program)) != setup.version:
        raise GuardFailed(f"this worker has another guard-host: {here}")
    with home(setup.first) as first, home(setup.second) as second:
        for lot in lots(calls, LOT_CALLS, LOT_BYTES, LOT_FOLDERS):
            yield (
                lot,
                verdicts(setup.program, first, lot),
                verdicts(setup.program, second, lot),
            )
