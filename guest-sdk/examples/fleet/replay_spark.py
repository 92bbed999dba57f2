"""Replays a month of a fleet as a job of Spark.

Each distinct call is decided once by two configurations, by `guard-host check --batch`.
A task whose guard-host breaks off fails, and Spark runs it again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark import SparkConf
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from batches import DIFFERS, KEPT, KEY, SAID, decided
from commandline import (
    Exit,
    conditions,
    dump,
    log_folder,
    note,
    replay_parser,
    result_of,
    run,
    setup,
    tell,
)
from guard import GuardFailed, Setup

EXAMPLES = """\
  replay_spark.py log/ --first guard.toml --second new.toml --out result/
  spark-submit --master yarn --num-executors 100 --executor-cores 8 \\
      replay_spark.py hdfs:///guard/log --first now/ --second next/ \\
      --out hdfs:///guard/result --partitions 8000 --fail-on loosened
"""

# What the workers import.
MODULES = ("batches.py", "guard.py", "verdicts.py")

LOG = (
    "source string, line bigint, problem string, ts string, id string, session string, "
    "agent string, harness string, action string, rule string, has_facts boolean, "
    "tool string, cwd string, input string, day string"
)
VERDICTS = (
    "tool string, input string, cwd string, times bigint, first_outcome string, "
    "first_rule string, second_outcome string, second_rule string"
)


def session() -> SparkSession:
    """The session of spark-submit; else one on all processors of this machine.

    There a task is tried four times, as on a cluster; `local[*]` tries it once.
    """
    builder = SparkSession.builder.appName("guard-host replay")
    is_ours = SparkConf().get("spark.master") is None
    if is_ours:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.master("local[*,4]").config("spark.ui.enabled", "false")
    made = builder.getOrCreate()
    if is_ours:
        # The last line says what went wrong; the rest is Java's.
        made.sparkContext.setLogLevel("FATAL")
    for name in MODULES:
        made.sparkContext.addPyFile(str(Path(__file__).parent / name))
    return made


def failed_tasks(spark: SparkSession) -> int:
    """How many tasks failed and were run again."""
    tracker = spark.sparkContext.statusTracker()
    jobs = map(tracker.getJobInfo, tracker.getJobIdsForGroup())
    stages = {stage for job in jobs if job for stage in job.stageIds}
    found = map(tracker.getStageInfo, stages)
    return sum(stage.numFailedTasks for stage in found if stage)


def worker(
    made: Setup,
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What a task does with its partition."""

    def decide_partition(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from decided(made, batches)

    return decide_partition


def verdicts(calls: DataFrame, made: Setup, partitions: int, split: int) -> DataFrame:
    """The distinct calls with their verdicts.

    The calls of a folder lie together, because `check --batch` prepares a chain for each.
    """
    distinct = calls.groupBy(*KEY).agg(F.count("*").alias("times"))
    part = F.pmod(F.xxhash64("tool", "input"), F.lit(split))
    placed = distinct.repartition(partitions, F.col("cwd"), part)
    return placed.sortWithinPartitions("cwd").mapInArrow(worker(made), VERDICTS)


def collected(frame: DataFrame) -> list[dict[str, Any]]:
    """The rows of a small result."""
    return [row.asDict() for row in frame.collect()]


def replay(
    spark: SparkSession,
    log: str,
    made: Setup,
    where: str,
    out: str,
    partitions: int,
    split: int,
) -> dict[str, Any]:
    """Decides the calls of a log, and writes what came of them to a folder."""
    lines = spark.read.schema(LOG).parquet(log).where(where)
    calls = lines.where("input IS NOT NULL")
    # Written once, so that no later step decides anything again.
    verdicts(calls, made, partitions, split).write.parquet(f"{out}/verdicts")
    known = spark.read.schema(VERDICTS).parquet(f"{out}/verdicts")
    differing = known.where(DIFFERS).select(*KEY, *SAID)
    joined = calls.select(*KEPT, *KEY).join(differing, [*KEY])
    joined.write.parquet(f"{out}/differences")
    sums = [F.sum("times").alias("calls"), F.count("*").alias("distinct_calls")]
    groups = collected(known.groupBy(*SAID).agg(*sums))
    problems = lines.where("problem IS NOT NULL").groupBy("problem")
    skipped = collected(problems.agg(F.count("*").alias("lines")))
    with_facts = F.count_if("has_facts").alias("with_facts")
    [counted] = collected(calls.agg(F.count("*").alias("calls"), with_facts))
    return result_of(groups, skipped, counted)


def write_text(spark: SparkSession, path: str, text: str) -> None:
    """Writes a file wherever Spark can write."""
    jvm: Any = spark.sparkContext._jvm
    place = jvm.org.apache.hadoop.fs.Path(path)
    java: Any = spark.sparkContext._jsc
    stream = place.getFileSystem(java.hadoopConfiguration()).create(place, False)
    try:
        stream.write(bytearray(text.encode("utf-8")))
    finally:
        stream.close()


def main() -> Exit:
    made = replay_parser(__doc__ or "", EXAMPLES)
    made.add_argument(
        "--partitions",
        type=int,
        metavar="N",
        help="the tasks that decide; about 50,000 distinct calls for each are good "
        "[default: four for each core]",
    )
    made.add_argument(
        "--split",
        type=int,
        default=1,
        metavar="N",
        help="so many tasks share the calls of one folder; more are of use if a few "
        "folders have most of the calls [default: 1]",
    )
    options = made.parse_args()
    if options.split < 1 or (options.partitions or 1) < 1:
        made.error("`--partitions` and `--split` are at least 1")
    where, workers = conditions(options), setup(options)
    log, out = options.log, options.out.rstrip("/")
    if "://" not in log:
        log = str(log_folder(log).absolute())
    if "://" not in out:
        out = str(Path(out).absolute())
        if Path(out).exists():
            raise FileExistsError(f"`{options.out}` is there already")
    spark = session()
    partitions = options.partitions or 4 * spark.sparkContext.defaultParallelism
    try:
        result = replay(spark, log, workers, where, out, partitions, options.split)
        write_text(spark, f"{out}/summary.json", dump(result))
        if failed := failed_tasks(spark):
            note(f"{failed} tasks failed and were run again")
    except (Py4JJavaError, PySparkException) as error:
        told = [line.strip() for line in str(error).splitlines()]
        ours = [line for line in told if line.startswith("guard.GuardFailed")]
        raise GuardFailed((ours or told or [""])[-1]) from error
    finally:
        spark.stop()
    return tell(result, options)


if __name__ == "__main__":
    run(main)
