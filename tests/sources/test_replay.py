from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from slackwater.errors import ColumnError, DatasetError, ParameterError
from slackwater.sources import Dataset, read_files, replay, syn3

SECOND = 1_000_000


class FakeClock:
    """Time passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock():
    return FakeClock()


def stream(*seconds: float, arrival: list[int], arrival_seconds: list[float] | None = None) -> pa.Table:
    columns = {"event_time": seconds, **({"arrival_time": arrival_seconds} if arrival_seconds else {})}
    times = {
        name: pa.array([round(value * SECOND) for value in values], pa.timestamp("us", tz="UTC"))
        for name, values in columns.items()
    }
    return pa.table({**times, "arrival": arrival})


def moments(clock: FakeClock, batches) -> list[float]:
    return [clock.now - 100 for _ in batches]


def test_batches_of_one_keep_the_exact_order_between_streams():
    streams = {"a": stream(1, 2, arrival=[0, 3]), "b": stream(1, 2, arrival=[1, 2])}
    assert ["a", "b", "b", "a"] == [name for name, _ in replay(streams, batch_rows=1)]


def test_every_row_is_replayed_once_in_arrival_order():
    dataset = syn3(duration="3 seconds")
    batches = list(replay(dataset, batch_rows=70))
    for name, table in dataset.streams.items():
        assert table == pa.concat_tables([rows for stream_name, rows in batches if stream_name == name])


def test_no_batch_holds_an_arrival_after_one_of_the_next():
    last = -1
    for position, (_, rows) in enumerate(replay(syn3(duration="3 seconds"), batch_rows=30)):
        if position % 3 == 0:
            assert rows["arrival"][0].as_py() > last
        last = max(last, rows["arrival"][-1].as_py())


def test_full_speed_never_sleeps(clock):
    list(replay(syn3(duration="1 second"), clock=clock, sleep=clock.sleep))
    assert 100.0 == clock.now


def test_speed_two_is_twice_real_time_by_arrival_time(clock):
    table = stream(5, 4, 6, arrival=[0, 1, 2], arrival_seconds=[10, 14, 20])
    batches = replay(table, batch_rows=1, speed=2.0, clock=clock, sleep=clock.sleep)
    assert [0, 2, 5] == moments(clock, batches)


def test_without_arrival_time_the_clock_of_event_times_paces(clock):
    table = stream(5, 9, 6, 10, arrival=[0, 1, 2, 3])
    batches = replay(table, batch_rows=1, speed=1.0, clock=clock, sleep=clock.sleep)
    assert [0, 4, 4, 5] == moments(clock, batches)


def test_rows_per_second_paces_by_count(clock):
    table = stream(1, 1, 1, 1, arrival=[0, 1, 2, 3])
    batches = replay(table, batch_rows=2, rows_per_second=4, clock=clock, sleep=clock.sleep)
    assert [0.5, 1.0] == moments(clock, batches)


def test_slow_consumer_gets_late_batches_at_once(clock):
    table = stream(0, 1, 2, 3, arrival=[0, 1, 2, 3])
    seen = []
    for _ in replay(table, batch_rows=1, speed=1.0, clock=clock, sleep=clock.sleep):
        seen.append(clock.now - 100)
        clock.now += 2.5 if len(seen) == 1 else 0
    assert [0, 2.5, 2.5, 3] == seen


def test_wrong_speed_fails_before_the_first_batch():
    with pytest.raises(ParameterError, match="speed must be > 0"):
        replay(stream(1, arrival=[0]), speed=0)


def test_two_paces_at_once_are_refused():
    with pytest.raises(ParameterError, match="rows_per_second"):
        replay(stream(1, arrival=[0]), speed=1, rows_per_second=1)


def test_empty_dataset_gives_no_batch():
    assert [] == list(replay(syn3(duration="0 seconds"), speed=1.0))


def test_csv_file_becomes_a_stream_in_file_order(tmp_path):
    (tmp_path / "bus.csv").write_text("when,line\n2020-01-01T00:00:02Z,7\n2020-01-01T00:00:01Z,8\n")
    table = read_files(tmp_path / "bus.csv", event_time="when")["bus"]
    assert ["event_time", "arrival", "line"] == table.column_names
    assert ([0, 1], [7, 8]) == (table["arrival"].to_pylist(), table["line"].to_pylist())


def test_arrival_column_decides_the_order(tmp_path):
    pq.write_table(pa.table({"t": [1, 2], "n": [9, 4]}), tmp_path / "s.parquet")
    table = read_files(tmp_path, event_time="t", arrival="n", unit="s")["s"]
    assert [2_000_000, 1_000_000] == table["event_time"].cast(pa.int64()).to_pylist()


def test_payload_column_named_ts_is_kept(tmp_path):
    pq.write_table(pa.table({"t": [1], "ts": [5]}), tmp_path / "s.parquet")
    assert ["event_time", "arrival", "ts"] == read_files(tmp_path, event_time="t")["s"].column_names


def test_several_files_without_any_order_are_an_error(tmp_path):
    for name in "ab":
        pq.write_table(pa.table({"t": [1]}), tmp_path / f"{name}.parquet")
    with pytest.raises(DatasetError, match="arrival="):
        read_files(tmp_path, event_time="t")


def test_text_is_not_taken_for_a_time(tmp_path):
    pq.write_table(pa.table({"t": ["now"]}), tmp_path / "s.parquet")
    with pytest.raises(ColumnError, match="not a time"):
        read_files(tmp_path, event_time="t")


def test_missing_path_is_a_dataset_error(tmp_path):
    with pytest.raises(DatasetError, match="is no Parquet or CSV file"):
        read_files(tmp_path / "none.parquet", event_time="t")


def test_damaged_file_is_a_dataset_error(tmp_path):
    (tmp_path / "s.parquet").write_text("not Parquet")
    with pytest.raises(DatasetError, match="cannot be read"):
        read_files(tmp_path, event_time="t")


def test_written_dataset_replays_as_the_original(tmp_path):
    dataset = syn3(duration="1 second")
    first, second = (list(replay(one)) for one in (dataset, Dataset.read(dataset.write(tmp_path))))
    assert first == second
