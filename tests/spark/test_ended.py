"""What made a query fail is said in one line, with what to do; no session is needed."""

from __future__ import annotations

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql.streaming.query import StreamingQuery

from slackwater.errors import QueryError
from slackwater.spark.ended import failure_of, started

STREAM = "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: "


class SaidError(Exception):
    """An error of Spark's: it has a stack of Java's, and a cause."""

    def __init__(self, text: str, stack: str = "", cause: Exception | None = None) -> None:
        super().__init__(text)
        self._stackTrace, self._cause = stack, cause


@pytest.mark.parametrize(
    ("said", "problem", "remedy"),
    [
        ("java.io.IOException: No space left on device", "no space is left on a disk", "make room"),
        (
            "[CONCURRENT_STREAM_LOG_UPDATE] Concurrent update to the log. Multiple streaming jobs detected for 3.",
            "another query writes to the same checkpoint",
            "stop one of them; each query has a checkpoint of its own",
        ),
        ("[CANNOT_LOAD_STATE_STORE.UNCATEGORIZED] An error occurred", "state files are damaged", "from a copy"),
        ("[STDS_FAILED_TO_READ_OPERATOR_METADATA] Failed to read", "state files are damaged", "from a copy"),
        ("org.rocksdb.RocksDBException: Corruption: bad block", "state files are damaged", "from a copy"),
        ("java.lang.IllegalStateException: 3 doesn't exist when reading all files", "log files", "from a copy"),
        ("[FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error", "a file of the source is gone", "put it back"),
        ("[FAILED_READ_FILE.NO_HINT] Encountered error", "a file of the source cannot be read", "correct the schema"),
        ("Python worker exited unexpectedly (crashed)", "processes of Spark died", "more memory"),
    ],
)
@pytest.mark.parametrize("where", ["text", "stack", "cause"])
def test_what_spark_says_in_whatever_depth_is_named_with_what_to_do(said, problem, remedy, where):
    error = {
        "text": SaidError(STREAM + said),
        "stack": SaidError(f"{STREAM}Job aborted", f"org.apache.spark.SparkException\n\tat x\nCaused by: {said}"),
        "cause": SaidError(f"{STREAM}Job aborted", cause=SaidError("task failed", cause=SaidError(said))),
    }[where]
    words = str(failure_of("bus", error))
    assert words.startswith(f"bus failed: {problem}")
    assert remedy in words
    assert "\n" not in words


def test_names_in_a_stack_of_calls_are_no_cause():
    stack = (
        "Caused by: java.net.SocketTimeoutException: Python worker failed to connect back\n\tat RocksDBStateStore.x(y)"
    )
    error = SaidError(f"{STREAM}boom", f"\tat RocksDBFileManager.load(z)\n{stack}\n\t... 23 more")
    assert "did not start in time" in str(failure_of(None, error))


def test_an_error_of_ours_in_a_worker_is_said_as_it_is():
    said = "slackwater.errors.StateError: state has an unreadable chunk 3, expected Arrow IPC; restore it"
    error = SaidError(f"{STREAM}Job aborted\nTraceback (most recent call last):\n  File x\n{said}\n\n\tat java")
    assert str(failure_of(None, error)).startswith("a query failed: StateError: state has an unreadable chunk 3")


def test_an_error_of_ours_says_what_to_do_and_nothing_else_does():
    said = "state has been written for a < b, this query has a > b; change it back; or start with a new checkpoint"
    error = SaidError(f"{STREAM}Job aborted\nTraceback ...\nslackwater.errors.AnotherQueryError: {said}\n\n\tat java")
    assert f"a query failed: AnotherQueryError: {said}" == str(failure_of(None, error))


LOADING = "Caused by: SparkException: [CANNOT_LOAD_STATE_STORE.UNCATEGORIZED] An error occurred during loading state."
PLAN = "~FileStreamSource[file:/in/state/0/x]\n~Foreach, [checkpointLocation=/out/c, queryName=bus], Append"


@pytest.mark.parametrize(
    ("cause", "named"),
    [
        ("fs.ChecksumException: Checksum error: file:/out/c/state/0/0/1.zip at 0 exp: -6", "/out/c/state/0/0/1.zip"),
        ("java.io.FileNotFoundException: File file:/my out/c/state/0/0/2.changelog does", "/my out/c/state/0/0/2.cha"),
        ("SparkException: Error reading delta file s3a://b/c/state/1/7/left/2.delta: key", "s3a://b/c/state/1/7/left/"),
        ("java.io.EOFException: /out/c/state/0/0/1.zip", "/out/c/state/0/0/1.zip"),
        ("java.lang.NullPointerException", "one of those in /out/c/state ("),
        (
            "org.rocksdb.RocksDBException: mismatch in /tmp/spark-1/StateStoreId(0)/8.sst",
            "one of those in /out/c/state (",
        ),
    ],
)
def test_a_damaged_state_file_is_named_and_where_spark_does_not_its_folder(cause, named):
    error = SaidError(f"{STREAM}Job aborted\n{LOADING}\n\tat x\nCaused by: {cause}\n{PLAN}")
    assert f"state files are damaged or missing: {named}" in str(failure_of(None, error))


def test_what_is_not_known_is_the_last_line_of_python():
    error = SaidError(f"{STREAM}Job aborted\nTraceback ...\nValueError: bad\n\tat java")
    assert "a query failed: ValueError: bad; mend the cause" in str(failure_of(None, error))


def test_without_python_it_is_the_first_line():
    assert "terminated with exception: boom; mend" in str(failure_of("bus", SaidError(f"{STREAM}boom\nmore")))


class FullDisk:
    """The JVM's side of a query that has failed."""

    def name(self) -> str:
        return "bus"

    def fail(self, *_: int) -> None:
        raise StreamingQueryException(f"{STREAM}java.io.IOException: No space left on device")

    def __getattr__(self, name: str) -> object:
        return self.fail


@pytest.mark.parametrize("wait", ["awaitTermination", "processAllAvailable"])
def test_who_waits_for_a_query_that_fails_gets_an_error_of_ours_with_that_of_spark_as_its_cause(wait):
    query = started(StreamingQuery(FullDisk()))
    with pytest.raises(QueryError, match="bus failed: no space is left") as caught:
        getattr(query, wait)()
    assert isinstance(caught.value.__cause__, StreamingQueryException)


def test_a_query_of_another_kind_stays_what_it_is():
    other = object()
    assert started(other) is other
