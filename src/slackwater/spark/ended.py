"""The end of a streaming query; its failure is an error of ours, in a line that names cause and remedy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.errors import StreamingQueryException
from pyspark.sql.streaming.query import StreamingQuery

from slackwater.errors import QueryError
from slackwater.paths import local_folder

if TYPE_CHECKING:
    from collections.abc import Callable

_REMEDY = "mend the cause, and the same call goes on from the checkpoint"
_COPY = "restore the checkpoint from a copy; or start with a new checkpoint and new folders"

_STATE = "state files are damaged or missing"

_FRAME = re.compile(r"\s*(?:at |\.\.\. \d+ more)")  # of a stack of Java's
# an address in what an exception says, not in the plan that Spark shows with it
_STATE_FILE = re.compile(r"(?:Exception|Error)[^\n]*?((?:\b[a-z][\w+.-]*:|(?<=\s))/[^\n:]*?/state/\d+/[^\s,;:)\]]+)")
_CHECKPOINT = re.compile(r"\[checkpointLocation=([^\n]*?)[,\]]")

# What Spark says, in whatever depth; what that is called; what to do about it. The first that fits counts.
_CAUSES: tuple[tuple[str, str, str], ...] = (
    (
        r"No space left on device|Disk quota exceeded",
        "no space is left on a disk",
        "make room for checkpoint, outputs and temporary files, and the same call goes on: nothing is lost",
    ),
    (
        r"FileAlreadyExistsException.*/(?:offsets|commits)/|CONCURRENT_STREAM_LOG_UPDATE|"
        r"Concurrent update to the log|Multiple streaming jobs detected",
        "another query writes to the same checkpoint",
        "stop one of them; each query has a checkpoint of its own",
    ),
    (
        r"CANNOT_LOAD_STATE_STORE|STDS_FAILED_TO_READ|STATE_STORE_[A-Z_]*(?:CHECKSUM|UNABLE|FAILED|NOT_FOUND)|"
        r"CHECKPOINT_FILE_CHECKSUM|RocksDBException|RocksDB(?:FileManager|StateStore)|ChecksumException|"
        r"(?:FileNotFound|EOF|NoSuchFile)Exception[^\n]*/state/|/state/[^\n]*(?:does not exist|checksum)",
        _STATE,
        _COPY,
    ),
    (
        r"Incomplete log file|[Mm]alformed log|doesn't exist when (?:reading|compacting)|batch files? .* missing",
        "log files of the checkpoint are damaged or missing",
        _COPY,
    ),
    (
        r"FAILED_READ_FILE\.FILE_NOT_EXIST|FILE_NOT_EXIST|FileNotFoundException",
        "a file of the source is gone that a batch needs",
        "put it back, and the same call goes on from the checkpoint",
    ),
    (
        r"FAILED_READ_FILE|CANNOT_READ_FILE_FOOTER|is not a Parquet file",
        "a file of the source cannot be read",
        "put a whole one in its place, and the same call goes on from the checkpoint; "
        "or correct the schema, and start with a new checkpoint",
    ),
    (
        r"Python worker (?:exited unexpectedly|failed to connect back)|ExecutorLostFailure|OutOfMemoryError",
        "processes of Spark died, or did not start in time",
        "give them more memory (spark.executor.memoryOverhead for Python) or less to do, and the same call goes on",
    ),
)


class StartedQuery(StreamingQuery):
    """A running query of Spark's whose failure is a `QueryError`: cause and remedy in one line.

    It is chained to what Spark said, which `exception()` returns as ever.
    """

    def awaitTermination(self, timeout: int | None = None) -> bool | None:
        """Wait for its end, at most so many seconds; `QueryError` if it has failed."""
        ended: bool | None = self._clearly(lambda: StreamingQuery.awaitTermination(self, timeout))
        return ended

    def processAllAvailable(self) -> None:
        """Wait until all there is has been written; `QueryError` if it has failed."""
        self._clearly(lambda: StreamingQuery.processAllAvailable(self))

    def _clearly(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except StreamingQueryException as error:
            raise failure_of(self.name, error) from error


def started(query: Any) -> Any:
    """Return a query as one that fails clearly; those of Spark Connect stay what they are."""
    return StartedQuery(query._jsq) if type(query) is StreamingQuery else query


def has_ended(query: StreamingQuery) -> bool:
    """Say whether a query has ended by itself.

    Raises:
        QueryError: it has failed; what is the matter, and what to do.
    """
    if query.isActive:
        return False
    error = query.exception()
    if error is None:
        return True
    raise failure_of(query.name, error)


def failure_of(name: str | None, error: BaseException) -> QueryError:
    """Return what made a query fail, in a line: what a Python worker said, or what is known of Spark's words."""
    texts = list(_texts(error))
    lines = [line for line in texts[0].split("\n") if line.strip()]
    python = _last_python_error(lines)
    if python is not None and "slackwater.errors." in python:
        problem, _, remedy = python.removeprefix("slackwater.errors.").partition("; ")  # ours say what to do
        return QueryError(name or "a query", problem=problem, remedy=remedy or _REMEDY)
    # only what is said counts: names in a stack of calls say where, not what
    whole = "\n".join(line for text in texts for line in text.split("\n") if not _FRAME.match(line))
    for pattern, problem, remedy in _CAUSES:
        found = re.search(f"[^\n]*(?:{pattern})[^\n]*", whole)
        if found:
            where = _damaged_state(whole) if problem == _STATE else ""
            said = found[0].strip()[:300]
            return QueryError(name or "a query", problem=f"{problem}{where} ({said})", remedy=remedy)
    return QueryError(name or "a query", problem=python or lines[0].strip(), remedy=_REMEDY)


def _damaged_state(said: str) -> str:
    r"""Return which file of the state it is, or where it is where Spark names none.

    >>> _damaged_state("Caused by: ChecksumException: Checksum error: file:/out/c/state/0/3/2.changelog at 0 exp: 7")
    ': /out/c/state/0/3/2.changelog'
    >>> _damaged_state("Caused by: NullPointerException\n~WriteToMicroBatch [checkpointLocation=/out/c, queryName=a]")
    ': one of those in /out/c/state'
    """
    if named := _STATE_FILE.search(said):
        return f": {local_folder(named[1]) or named[1]}"
    checkpoint = _CHECKPOINT.search(said)
    return f": one of those in {checkpoint[1].rstrip('/')}/state" if checkpoint else ""


def _texts(error: BaseException | None) -> Iterator[str]:
    """Return what is said by an error and by those that caused it."""
    while error is not None:
        yield str(error) or type(error).__name__
        yield str(getattr(error, "_stackTrace", "") or "")
        error = getattr(error, "_cause", None) or error.__cause__


def _last_python_error(lines: list[str]) -> str | None:
    """Return what a Python worker said last, where it was one that failed.

    >>> _last_python_error(["[STREAM_FAILED] Query [id = 1] terminated: x", "Traceback ...", "ValueError: bad"])
    'ValueError: bad'
    """
    python = [line for line in lines if "Error: " in line and not line.startswith((" ", "\t", "["))]
    return python[-1].strip() if python else None
