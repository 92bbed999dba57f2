"""Replays a month of a fleet in one process, as queries of DataFusion.

Each distinct call is decided once by two configurations, by `guard-host check --batch`.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from datafusion import RuntimeEnvBuilder, SessionConfig, SessionContext

from batches import DIFFERS, KEPT, KEY, SAID, VERDICTS, decided
from commandline import (
    Exit,
    conditions,
    dump,
    log_folder,
    replay_parser,
    result_of,
    run,
    setup,
    tell,
)
from guard import Setup

EXAMPLES = """\
  replay_datafusion.py log/ --first guard.toml --second new.toml --out result/
  replay_datafusion.py log/ --first now/ --second next/ --out result/ \\
      --since 2026-11-01 --until 2026-11-30 --fail-on loosened --memory-mib 16384
"""


def context(memory_mib: int, spill: Path, threads: int) -> SessionContext:
    """A context that spills to a folder when its memory is full."""
    runtime = RuntimeEnvBuilder().with_fair_spill_pool(memory_mib << 20)
    runtime = runtime.with_disk_manager_specified(str(spill))
    config = SessionConfig().with_target_partitions(threads)
    return SessionContext(config, runtime)


def rows(context: SessionContext, query: str) -> list[dict[str, Any]]:
    """The rows of a small result."""
    found: list[dict[str, Any]] = context.sql(query).to_pylist()
    return found


def shared(context: SessionContext, query: str) -> Iterator[pa.RecordBatch]:
    """The batches of a query, of which each goes to one of several threads."""
    stream = context.sql(query).execute_stream()
    lock = threading.Lock()

    def next_batch() -> pa.RecordBatch | None:
        with lock:
            found = next(stream, None)
            return None if found is None else found.to_pyarrow()

    return iter(next_batch, None)


def decide_all(
    made: Setup, batches: Iterator[pa.RecordBatch], folder: Path, threads: int
) -> None:
    """Writes the verdicts of all calls, a file for each thread."""
    stop = threading.Event()

    def taken() -> Iterator[pa.RecordBatch]:
        while not stop.is_set() and (batch := next(batches, None)) is not None:
            yield batch

    def work(number: int) -> None:
        path = folder / f"part-{number:05}.parquet"
        try:
            with pq.ParquetWriter(path, VERDICTS, compression="zstd") as writer:
                for batch in decided(made, taken()):
                    writer.write_batch(batch)
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(threads) as pool:
        for one in [pool.submit(work, number) for number in range(threads)]:
            one.result()


def replay(
    log: Path, made: Setup, where: str, making: Path, memory_mib: int, threads: int
) -> dict[str, Any]:
    """Decides the calls of a log, and writes what came of them to a folder."""
    spill = making / "_spill"
    spill.mkdir()
    of = context(memory_mib, spill, threads)
    of.register_parquet("log", log, table_partition_cols=[("day", pa.string())])
    key, call = ", ".join(KEY), f"input IS NOT NULL AND {where}"
    verdicts = making / "verdicts"
    verdicts.mkdir()
    # In the order of folders, because `check --batch` prepares a chain for each.
    distinct = (
        f"SELECT {key}, count(*) AS times FROM log WHERE {call} "
        f"GROUP BY {key} ORDER BY cwd"
    )
    decide_all(made, shared(of, distinct), verdicts, threads)
    of.register_parquet("verdicts", verdicts)
    kept = ", ".join([f"log.{name}" for name in (*KEPT, *KEY)])
    differences = (
        f"SELECT {kept}, {', '.join(SAID)} FROM log JOIN "
        f"(SELECT * FROM verdicts WHERE {DIFFERS}) AS v ON log.tool = v.tool AND "
        f"log.input = v.input AND log.cwd = v.cwd WHERE log.{call}"
    )
    (making / "differences").mkdir()
    of.sql(differences).write_parquet(making / "differences")
    groups = rows(
        of,
        f"SELECT {', '.join(SAID)}, sum(times) AS calls, count(*) AS distinct_calls "
        f"FROM verdicts GROUP BY {', '.join(SAID)}",
    )
    skipped = rows(
        of,
        f"SELECT problem, count(*) AS lines FROM log WHERE problem IS NOT NULL "
        f"AND {where} GROUP BY problem",
    )
    [sums] = rows(
        of,
        f"SELECT count(*) AS calls, count(*) FILTER (WHERE has_facts) AS with_facts "
        f"FROM log WHERE {call}",
    )
    del of
    spill.rmdir()
    return result_of(groups, skipped, sums)


def main() -> Exit:
    made = replay_parser(__doc__ or "", EXAMPLES)
    made.add_argument(
        "--memory-mib",
        type=int,
        default=2048,
        metavar="N",
        help="the memory of the queries; beyond it they spill [default: 2048]",
    )
    made.add_argument(
        "--threads",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="so many guard-host run at once [default: one for each processor]",
    )
    options = made.parse_args()
    log, out = log_folder(options.log), Path(options.out)
    where, workers = conditions(options), setup(options)
    making = out.with_name(f"{out.name}.part")
    if out.exists() or making.exists():
        raise FileExistsError(f"`{out}` or `{making}` is there already")
    making.mkdir(parents=True)
    try:
        memory, threads = options.memory_mib, options.threads
        result = replay(log, workers, where, making, memory, threads)
        (making / "summary.json").write_text(dump(result), encoding="utf-8")
        making.rename(out)
    except BaseException:
        # Half a result is none.
        shutil.rmtree(making, ignore_errors=True)
        raise
    return tell(result, options)


if __name__ == "__main__":
    run(main)
