"""Lets a query stop, harms its files, and starts it again: in one local session, each fault from the same beginning."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from slackwater.errors import QueryError, SlackwaterError
from tests.chaos.driver import begin, run
from tests.chaos.ended import Ended
from tests.chaos.faults import FAULTS, Fault
from tests.chaos.full_disk import run_full_disk
from tests.chaos.inputs import rows_of, streams_of, write_input
from tests.chaos.queries import QUERIES
from tests.chaos.slow_disk import run_slow_disk
from tests.chaos.verify import verify_folder

NAME, FILES, ROWS = "join of 2", 4, 200
_TRIES = 3


def run_faults(spark: SparkSession, folder: Path, names: Sequence[str] = ()) -> Iterator[Ended]:
    """Run every fault; before each, all files are as they were when the query had stopped."""
    stopped, work, undisturbed = folder / "stopped", folder / "work", folder / "undisturbed"
    _input(work)
    shutil.copytree(work, undisturbed)
    run(spark, undisturbed, NAME)
    last = [_hidden(file) for file in work.glob(f"in/*/{FILES - 1:04}.parquet")]
    begin(spark, work, NAME)
    for file in last:
        _shown(file)
    work.rename(stopped)
    for name in names or FAULTS:
        shutil.copytree(stopped, work)
        yield _run(spark, work, undisturbed, name, FAULTS[name])
        shutil.rmtree(work)
    if not names:
        yield from run_full_disk(spark, NAME, stopped, work, undisturbed)
        yield from run_slow_disk(NAME, work, undisturbed)


def _run(spark: SparkSession, work: Path, undisturbed: Path, name: str, fault: Fault) -> Ended:
    fault.inject(work)
    try:
        _run_in_time(spark, work)
    except Exception as error:
        clear = isinstance(error, SlackwaterError) and fault.says is not None
        return Ended(name, error, bool(clear and re.search(fault.says or "", str(error))))
    return Ended(name, None, fault.says is None and verify_folder(NAME, work, undisturbed).is_good)


def _run_in_time(spark: SparkSession, work: Path) -> None:
    """Run the query; where a busy machine did not start Python in the ten seconds that Spark allows, once more."""
    for _ in range(_TRIES):
        try:
            return run(spark, work, NAME)
        except QueryError as error:
            if "did not start in time" not in str(error):
                raise
    return run(spark, work, NAME)


def _input(folder: Path) -> None:
    streams = QUERIES[NAME].streams
    write_input(folder, streams_of(rows_of(FILES * ROWS, seed=4), streams, seed=4), FILES)


def _hidden(file: Path) -> Path:
    """Give a file a name that Spark does not read yet."""
    return file.rename(file.with_name(f"_{file.name}"))


def _shown(file: Path) -> None:
    file.rename(file.with_name(file.name.removeprefix("_")))
