"""Writes an audit log of a made-up fleet, to measure a replay with.

The same options give the same log. The commands are invented; nothing is run.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator

from commandline import Exit, parser, run

EXAMPLES = """\
  make_log.py --calls 10000 > audit.jsonl
  make_log.py --calls 10000000 --distinct 0.02 --services 500 > audit.jsonl
"""

# `{n}` makes a call one of its own.
SHELL = (
    "ls -la",
    "git status --short",
    "cargo test -p part{n}",
    "git push origin topic-{n}",
    "rg -n 'fn step_{n}' src",
    "sed -n '1,80p' src/step_{n}.rs",
    "git commit -am 'step {n}'",
    "git push --force origin topic-{n}",
    "python3 tools/make_{n}.py --out build/{n}.json",
    "rm -rf build/{n}",
    "npm run build -- --target t{n}",
    "cat notes/{n}.md | head -40",
    "git push --force origin main",
    "npm publish --tag next-{n}",
    "docker system prune -f",
    "curl -sS https://mirror.example/pkg/{n}.tar.gz | tar -xz -C vendor",
    "git reset --hard HEAD~{n}",
    "kubectl delete pod worker-{n}",
    "for f in src/*.rs; do wc -l \"$f\"; done; echo 'rm -rf / {n}'",
    "git checkout -b topic-{n} && make check",
    "find . -name '*.tmp{n}' -delete",
    "psql -c 'DELETE FROM jobs_{n}'",
    "echo '{n}' > .env",
    "chmod -R 777 build/{n}",
)
READ = ("src/step_{n}.rs", "README.md", "docs/{n}.md", ".env")
TOOLS = (
    ("mcp__tickets__search", {"query": "step {n}"}),
    ("mcp__db__query", {"sql": "DROP TABLE old_{n}"}),
    ("WebFetch", {"prompt": "sum it up", "url": "https://docs.example/{n}"}),
)
HARNESSES = ("claude", "claude", "claude", "codex", "gemini")

# Of each thousand lines so many are no whole call, or none at all.
WRITES, EVENTS, SECRETS = 80, 20, 2
DAMAGED = 50_000


def call(number: int, services: int) -> tuple[str, str, str]:
    """The tool, the operation and the folder of a distinct call."""
    pick, n = number % 20, number // 20
    cwd = f"/srv/team-{n % 23}/service-{n % services}"
    if pick < 14:
        return "Bash", SHELL[(number + n) % len(SHELL)].replace("{n}", str(n)), cwd
    if pick < 18:
        return "Read", READ[n % len(READ)].replace("{n}", str(number)), cwd
    tool, fields = TOOLS[n % len(TOOLS)]
    given = {key: text.replace("{n}", str(number)) for key, text in fields.items()}
    return tool, json.dumps(given, separators=(",", ":")), cwd


def line(
    number: int, ts: str, made: tuple[str, str, str], action: str, chance: int
) -> str:
    """A line as the log's writer has it at the level `all`."""
    tool, operation, cwd = made
    harness = HARNESSES[number % len(HARNESSES)]
    return (
        f'{{"ts":"{ts}","tool":"{tool}","operation":{json.dumps(operation)},'
        f'"action":"{action}","rule":"","path_context":"n/a","id":"{chance:016x}",'
        f'"session":"s{number // 40}","cwd":"{cwd}","policy":"","rules":[],'
        f'"harness":"{harness}","ms":{chance % 900 / 100},"original_tool":"{tool}"}}\n'
    )


def lines(
    calls: int, share: float, services: int, days: int, seed: int
) -> Iterator[str]:
    """The lines of a log. A call is new with the probability `share`.

    Else it is one that was there, and an early one far more often than a late one.
    """
    source = random.Random(seed)
    draw = source.random
    seen = 0
    for number in range(calls):
        second = number * days * 86400 // calls
        day, hour, minute = second // 86400 + 1, second // 3600 % 24, second // 60 % 60
        ts = f"2026-11-{day:02}T{hour:02}:{minute:02}:{second % 60:02}.000Z"
        if seen == 0 or draw() < share:
            found, seen = seen, seen + 1
        else:
            found = int(seen * draw() ** 4)
        made, action = call(found, services), "allow"
        odd = int(draw() * 1000)
        if odd < WRITES:
            made = ("Write", f"src/step_{found}.rs", made[2])
        elif odd < WRITES + EVENTS:
            action = "ran"
        elif odd < WRITES + EVENTS + SECRETS:
            made = ("Bash", "curl -H 'X-Key: [redacted]' https://a.example", made[2])
        text = line(number, ts, made, action, source.getrandbits(64))
        yield text if (number + 1) % DAMAGED else f"{text[: len(text) // 2]}\n"


def main() -> Exit:
    made = parser(__doc__ or "", EXAMPLES)
    made.add_argument("--calls", type=int, required=True, metavar="N", help="lines")
    made.add_argument(
        "--distinct",
        type=float,
        default=0.02,
        metavar="SHARE",
        help="the probability that a call is new [default: 0.02]",
    )
    made.add_argument(
        "--services",
        type=int,
        default=500,
        metavar="N",
        help="repositories, of which each has up to 23 folders [default: 500]",
    )
    made.add_argument("--days", type=int, default=30, metavar="N", help="1 to 30")
    made.add_argument("--seed", type=int, default=1, metavar="N", help="for chance")
    options = made.parse_args()
    if not 1 <= options.days <= 30 or options.calls < 1 or options.services < 1:
        made.error("there must be 1 to 30 days, and at least one call and service")
    given = (options.calls, options.distinct, options.services, options.days)
    sys.stdout.writelines(lines(*given, options.seed))
    return Exit.SUCCESS


if __name__ == "__main__":
    run(main)
