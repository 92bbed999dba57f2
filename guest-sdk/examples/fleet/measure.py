"""Runs a command, and prints how long it took and how much memory its processes took.

The memory is the peak of the sum over the command and all that it started. Memory that
several of them share counts once (Linux: PSS).
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import time
from pathlib import Path

USAGE = "usage: measure.py COMMAND...\nexample: measure.py replay_spark.py --help"
SECONDS = 0.5


def parents() -> dict[int, int]:
    """The parent of each process."""
    found: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = path.read_text(errors="replace").rpartition(")")[2]
        except OSError:
            continue
        found[int(path.parent.name)] = int(after_name.split()[1])
    return found


def tree(root: int) -> list[int]:
    """A process and all below it."""
    of = parents()
    found, open_ = [], [root]
    while open_:
        one = open_.pop()
        found.append(one)
        open_ += [process for process, parent in of.items() if parent == one]
    return found


def kib(process: int) -> int:
    """The memory of a process."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0
    told = re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE)
    return int(told.group(1)) if told else 0


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(f"{__doc__}\n{USAGE}")
        return 0 if len(sys.argv) == 2 else 64
    started, peak = time.monotonic(), 0
    with subprocess.Popen(sys.argv[1:]) as command:
        while command.poll() is None:
            peak = max(peak, sum(kib(one) for one in tree(command.pid)))
            time.sleep(SECONDS)
    took = time.monotonic() - started
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    told = f"{took:.1f} s, {cpu:.1f} s of processors, {peak / 1024:.0f} MiB at most"
    print(told, file=sys.stderr)
    return command.returncode


if __name__ == "__main__":
    sys.exit(main())
