from __future__ import annotations

from itertools import chain

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes, ReadMaxRows

from slackwater.errors import DatasetError, ParameterError
from slackwater.sources import syn3
from slackwater.spark import live
from slackwater.spark.live import LiveReader, RowRange, live_stream, read_rows
from slackwater.spark.session import session
from tests.lying import lying_file


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return syn3(duration="10 seconds").write(tmp_path_factory.mktemp("syn3"))


@pytest.fixture
def numbers(tmp_path):
    """One hundred rows in row groups of ten."""
    path = tmp_path / "numbers.parquet"
    pq.write_table(pa.table({"n": list(range(100))}), path, row_group_size=10)
    return str(path)


def reader(path: str, *, rows_per_second: float | None = None, rows_per_batch: int = 30) -> LiveReader:
    return LiveReader(path, rows_per_second=rows_per_second, rows_per_batch=rows_per_batch)


@pytest.fixture
def at(monkeypatch):
    def set_clock(seconds: float) -> None:
        monkeypatch.setattr(live.time, "monotonic", lambda: seconds)

    return set_clock


def rows(path: str, start: int, end: int) -> list[int]:
    return [value for batch in read_rows(path, start, end) for value in batch["n"].to_pylist()]


@pytest.mark.parametrize(("start", "end"), [(0, 100), (0, 1), (9, 11), (10, 20), (35, 62), (99, 100), (50, 50)])
def test_row_range_gives_exactly_its_rows(numbers, start, end):
    assert list(range(start, end)) == rows(numbers, start, end)


def test_only_overlapping_row_groups_are_read(numbers, monkeypatch):
    asked = []
    original = pq.ParquetFile.iter_batches

    def spy(self, **options):
        asked.extend(options["row_groups"])
        return original(self, **options)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", spy)
    rows(numbers, 25, 41)
    assert [2, 3, 4] == asked


def test_full_speed_is_bounded_by_the_limit(numbers):
    assert {"row": 30} == reader(numbers).latestOffset({"row": 0}, ReadMaxRows(30))


def test_no_limit_means_all_rows(numbers):
    assert {"row": 100} == reader(numbers).latestOffset({"row": 0}, ReadAllAvailable())


def test_offset_grows_with_time_and_rate(numbers, at):
    one = reader(numbers, rows_per_second=5)
    at(1000.0)
    assert {"row": 0} == one.latestOffset({"row": 0}, ReadMaxRows(30))
    at(1003.0)
    assert {"row": 15} == one.latestOffset({"row": 0}, ReadMaxRows(30))


def test_new_reader_goes_on_from_the_recorded_offset_without_making_up_time(numbers, at):
    one = reader(numbers, rows_per_second=5)
    at(5000.0)
    assert {"row": 40} == one.latestOffset({"row": 40}, ReadMaxRows(30))
    at(5002.0)
    assert {"row": 50} == one.latestOffset({"row": 40}, ReadMaxRows(30))


def test_offset_stays_after_the_last_row(numbers):
    assert {"row": 100} == reader(numbers).latestOffset({"row": 100}, ReadMaxRows(30))


def test_available_now_ignores_the_rate(numbers, at):
    at(0.0)
    one = reader(numbers, rows_per_second=1)
    one.prepareForTriggerAvailableNow()
    assert {"row": 30} == one.latestOffset({"row": 0}, ReadMaxRows(30))


def test_limit_that_does_not_count_rows_is_refused(numbers):
    with pytest.raises(ParameterError, match="limit must count rows"):
        reader(numbers).latestOffset({"row": 0}, ReadMaxBytes(1))


def test_partitions_cover_the_batch_without_overlap(numbers, monkeypatch):
    monkeypatch.setattr(live, "ROWS_PER_PARTITION", 40)
    assert [RowRange(0, 33), RowRange(33, 66), RowRange(66, 100)] == reader(numbers).partitions(
        {"row": 0}, {"row": 100}
    )


def test_empty_batch_has_no_partition(numbers):
    assert [] == reader(numbers).partitions({"row": 7}, {"row": 7})


def test_file_shorter_than_the_checkpoint_is_an_error(numbers):
    with pytest.raises(DatasetError, match="fewer than the checkpoint's 101"):
        reader(numbers).partitions({"row": 0}, {"row": 101})


def test_a_file_that_ends_before_the_rows_that_it_claims_is_an_error(tmp_path):
    path = tmp_path / "lying.parquet"
    path.write_bytes(lying_file(1_000))
    lying = reader(str(path))
    assert {"row": 30} == lying.latestOffset({"row": 0}, ReadMaxRows(30))
    with pytest.raises(DatasetError, match="ends at row 3"):
        list(lying.read(RowRange(0, 30)))


def test_folder_with_several_streams_needs_a_stream(folder):
    with pytest.raises(DatasetError, match=r"s1.*s2.*s3"):
        live._find_file(folder, None)


def test_missing_file_is_a_dataset_error(tmp_path):
    with pytest.raises(DatasetError, match="does not exist"):
        live._find_file(tmp_path / "none.parquet", None)


@pytest.fixture(scope="module")
def spark():
    """A session away from UTC; it is not stopped, since other modules may share it."""
    shared = session(master="local[2]")
    zone = shared.conf.get("spark.sql.session.timeZone")
    shared.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield shared
    shared.conf.set("spark.sql.session.timeZone", zone)


def collect(stream, checkpoint, batches: dict[int, list[int]]) -> None:
    def keep(frame, batch):
        batches[batch] = sorted(row.arrival for row in frame.select("arrival").collect())

    query = stream.writeStream.foreachBatch(keep).option("checkpointLocation", str(checkpoint))
    query.trigger(availableNow=True).start().awaitTermination()


@pytest.mark.spark
def test_available_now_reads_every_row_once_in_batches(spark, folder, tmp_path):
    batches: dict[int, list[int]] = {}
    collect(live_stream(spark, folder, stream="s2", rows_per_batch=400), tmp_path, batches)
    assert [400, 400, 200] == [len(batch) for batch in batches.values()]
    assert pq.read_table(folder / "s2.parquet")["arrival"].to_pylist() == list(chain(*batches.values()))


@pytest.mark.spark
def test_rows_come_with_the_values_of_the_file(spark, folder, tmp_path):
    stream = live_stream(spark, folder / "s1.parquet")
    seen: list[pa.Table] = []
    query = stream.writeStream.foreachBatch(lambda frame, _: seen.append(frame.toArrow()))
    query.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True).start().awaitTermination()
    stored = pq.read_table(folder / "s1.parquet").replace_schema_metadata(None)
    assert stored.cast(pa.schema([field.with_nullable(True) for field in stored.schema])) == seen[0].cast(stored.schema)


@pytest.mark.spark
def test_restarted_query_goes_on_from_its_checkpoint(spark, folder, tmp_path):
    batches: dict[int, list[int]] = {}
    stream = live_stream(spark, folder, stream="s3", rows_per_batch=700)
    collect(stream, tmp_path, batches)
    collect(stream, tmp_path, batches)
    assert {0: 700, 1: 300} == {batch: len(arrivals) for batch, arrivals in batches.items()}


@pytest.mark.spark
def test_repeated_batch_reads_the_same_rows(spark, folder, tmp_path):
    first: dict[int, list[int]] = {}
    again: dict[int, list[int]] = {}
    stream = live_stream(spark, folder, stream="s3", rows_per_batch=700)
    collect(stream, tmp_path, first)
    (tmp_path / "commits" / "1").unlink()
    (tmp_path / "commits" / ".1.crc").unlink()
    collect(stream, tmp_path, again)
    assert {1: first[1]} == again


@pytest.mark.spark
def test_paced_query_ends_quietly_at_the_last_row(spark, folder, tmp_path):
    batches: dict[int, list[int]] = {}
    stream = live_stream(spark, folder, stream="s1", rows_per_second=100_000)
    query = (
        stream.writeStream.foreachBatch(lambda frame, batch: batches.update({batch: [frame.count()]}))
        .option("checkpointLocation", str(tmp_path))
        .trigger(processingTime="100 milliseconds")
        .start()
    )
    try:
        query.processAllAvailable()
        while sum(count for (count,) in batches.values()) < 1_000:
            query.processAllAvailable()
        assert 1_000 == sum(count for (count,) in batches.values())
        assert query.isActive
    finally:
        query.stop()


@pytest.mark.spark
def test_rate_of_zero_is_refused(spark, folder):
    with pytest.raises(ParameterError, match="rows_per_second must be > 0"):
        live_stream(spark, folder, stream="s1", rows_per_second=0)
