"""Lets a query stop, harms its files, and starts it again: in one local session, each fault from the same beginning."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from slackwater.errors import SlackwaterError
from tests.chaos.driver import begin, run
from tests.chaos.faults import FAULTS, Fault
from tests.chaos.inputs import rows_of, streams_of, write_input
from tests.chaos.queries import QUERIES
from tests.chaos.verify import verify_folder

NAME, FILES, ROWS = "join of 2", 4, 200


@dataclass(frozen=True)
class Ended:
    """What a fault led to."""

    fault: str
    error: BaseException | None
    good: bool  # recovered with nothing lost, or refused as it should

    @property
    def words(self) -> str:
        """The outcome in a line."""
        if self.error is None:
            return "recovered, nothing lost" if self.good else "WRONG: went on, and what it wrote is not right"
        said = str(self.error).split("\n")[0]
        return said if self.good else f"WRONG: {type(self.error).__name__}: {said}"


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


def _run(spark: SparkSession, work: Path, undisturbed: Path, name: str, fault: Fault) -> Ended:
    fault.inject(work)
    try:
        run(spark, work, NAME)
    except Exception as error:
        clear = isinstance(error, SlackwaterError) and fault.says is not None
        return Ended(name, error, bool(clear and re.search(fault.says or "", str(error))))
    return Ended(name, None, fault.says is None and verify_folder(NAME, work, undisturbed).is_good)


def _input(folder: Path) -> None:
    streams = QUERIES[NAME].streams
    write_input(folder, streams_of(rows_of(FILES * ROWS, seed=4), streams, seed=4), FILES)


def _hidden(file: Path) -> Path:
    """Give a file a name that Spark does not read yet."""
    return file.rename(file.with_name(f"_{file.name}"))


def _shown(file: Path) -> None:
    file.rename(file.with_name(file.name.removeprefix("_")))
