"""What the commands of this folder have in common: options, exit codes, the result."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Any, NoReturn

from audit_log import UNKNOWN_DAY
from guard import BadConfig, GuardFailed, Setup, check_config, pack, version
from verdicts import FAIL_ON, Group, Said, Skipped, is_wanted, summary, text

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Exit(IntEnum):
    """The exit codes of guard-host."""

    SUCCESS = 0
    DIFFERENCES = 1
    USAGE = 64
    DATA = 65
    NO_INPUT = 66
    FAILED = 70
    CONFIG = 78


class BadUsage(Exception):
    """The command line is wrong."""


class Parser(argparse.ArgumentParser):
    """A parser that ends with the exit code that guard-host has for a wrong line."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(Exit.USAGE, f"error: {message}\n")


def parser(description: str, examples: str) -> Parser:
    """A parser whose help ends with examples."""
    return Parser(
        description=description,
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def replay_parser(description: str, examples: str) -> Parser:
    """The options of both replays."""
    made = parser(description, examples)
    made.add_argument("log", help="the folder that audit_to_parquet.py wrote")
    made.add_argument(
        "--first",
        type=Path,
        required=True,
        metavar="PATH",
        help="the present configuration: a guard.toml, or a folder with one and "
        "the files that it names",
    )
    made.add_argument(
        "--second",
        type=Path,
        required=True,
        metavar="PATH",
        help="the candidate configuration",
    )
    made.add_argument(
        "--out",
        required=True,
        metavar="DIR",
        help="a new folder for `verdicts` (each distinct call), `differences` "
        "(each line of the log that is decided otherwise), and `summary.json`",
    )
    made.add_argument("--since", metavar="DAY", help="the first day, as in 2026-11-01")
    made.add_argument("--until", metavar="DAY", help="the last day")
    made.add_argument(
        "--fail-on",
        choices=FAIL_ON,
        help="end with 1 if a verdict differs in this way",
    )
    made.add_argument(
        "--guard-host",
        default="guard-host",
        metavar="PROGRAM",
        help="the program; guard-host-tools lies beside it [default: guard-host]",
    )
    return made


def setup(options: argparse.Namespace) -> Setup:
    """What the workers need. Refuses what no call should be decided by."""
    program = shutil.which(options.guard_host)
    if program is None:
        raise FileNotFoundError(f"there is no program `{options.guard_host}`")
    program = str(Path(program).absolute())
    sides = {}
    for path in (options.first, options.second):
        sides[path] = pack(path)
        check_config(program, path, sides[path])
    first, second = sides[options.first], sides[options.second]
    return Setup(program, version(program), first, second)


def conditions(options: argparse.Namespace) -> str:
    """The condition on the column `day`, as SQL. A line without a day always counts."""
    limits = ((options.since, ">="), (options.until, "<="))
    found = ["true"]
    for day, sign in limits:
        if day is None:
            continue
        if not DAY.fullmatch(day):
            raise BadUsage(f"`{day}` is no day such as 2026-11-01")
        found.append(f"(day {sign} '{day}' OR day = '{UNKNOWN_DAY}')")
    return " AND ".join(found)


def log_folder(path: str) -> Path:
    """The folder of a log on this machine, to which nothing is being added."""
    folder = Path(path)
    if not any(folder.glob("day=*/*.parquet")):
        raise FileNotFoundError(f"`{path}` holds no log that audit_to_parquet.py wrote")
    for making in folder.glob("_making-*"):
        raise FileExistsError(f"`{making}`: audit_to_parquet.py has not ended there")
    return folder


def result_of(
    groups: list[dict[str, Any]], skipped: list[dict[str, Any]], sums: dict[str, Any]
) -> dict[str, Any]:
    """The result from the rows of the last queries. No call may be lost on the way."""
    decided = sum(one["calls"] for one in groups)
    if decided != sums["calls"]:
        raise GuardFailed(f"{decided} of {sums['calls']} calls were decided")
    made = [
        Group(
            Said(one["first_outcome"], one["first_rule"]),
            Said(one["second_outcome"], one["second_rule"]),
            one["calls"],
            one["distinct_calls"],
        )
        for one in groups
    ]
    left_out = [Skipped(one["problem"], one["lines"]) for one in skipped]
    return summary(made, left_out) | {"with-facts": sums["with_facts"]}


def tell(result: dict[str, Any], options: argparse.Namespace) -> Exit:
    """Prints the result and says how the command ends."""
    print(text(result))
    if result["with-facts"]:
        note(
            f"{result['with-facts']} lines hold facts, which this replay does not use; "
            "`guard-host replay` does"
        )
    if result["faults"]["distinct"]:
        note("a policy failed: its verdicts may be other ones on another machine")
    if result["calls"] == 0:
        note("no call was read")
        return Exit.DATA
    wanted = is_wanted(result, options.fail_on)
    return Exit.DIFFERENCES if wanted else Exit.SUCCESS


def dump(result: dict[str, Any]) -> str:
    """The result for machines."""
    return json.dumps(result, indent=2, ensure_ascii=False) + "\n"


def note(words: str) -> None:
    """Tells something beside the result."""
    print(f"warning: {words}", file=sys.stderr)


def run(command: Callable[[], Exit]) -> NoReturn:
    """Runs a command; what the outside world did wrong is one line and a code.

    What it writes is for its user alone, for a log holds what agents typed.
    """
    os.umask(0o077)
    try:
        sys.exit(command())
    except (FileNotFoundError, PermissionError, IsADirectoryError) as error:
        _end(Exit.NO_INPUT, error)
    except (BadUsage, FileExistsError) as error:
        _end(Exit.USAGE, error)
    except BadConfig as error:
        _end(Exit.CONFIG, error)
    except Exception as error:  # noqa: BLE001
        # GuardFailed, or an engine's own: never 1, which says that verdicts differ.
        _end(Exit.FAILED, error)


def _end(code: Exit, error: Exception) -> NoReturn:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(code)
