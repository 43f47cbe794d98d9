"""A join on a cluster of separate processes: master, two workers, two executors and a driver in client mode."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pytest
from benchmarks.cluster import ClusterError
from benchmarks.scale_driver import CONTRACTS
from benchmarks.scale_out import drivers

import slackwater as sw

pytestmark = [pytest.mark.spark, pytest.mark.slow]
ROWS = 10_000  # of both streams, in a batch: 20 seconds of event time in all
END = timedelta(seconds=2)  # what the query still holds when its files end is within


@pytest.fixture(scope="module")
def ran():
    """What two executors gave, what one process gives, the processes of a cluster that has ended, and its answer."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("processor times are read from /proc, which this system does not have")
    with ExitStack() as stack:
        try:
            running = stack.enter_context(drivers((2,)))
        except (ClusterError, OSError) as error:
            pytest.skip(f"the processes of a cluster cannot be started here: {error}")
        answer = running.run(2, ROWS, "FixedSlack", buckets=2)
        expected = in_process(running.folder / str(ROWS))
        found = pa.concat_tables(
            ds.dataset(each).to_table() for each in sorted(Path(answer["written"]).glob("batch=*"))
        )
    last = pc.max(expected["event_time"]).as_py() - END
    return pairs(found, last), pairs(expected, last), running.cluster.processes, answer


def test_two_executors_give_the_results_of_one_process(ran):
    found, expected, *_ = ran
    assert len(expected) > ROWS
    assert expected == found


def test_nothing_is_left_of_a_cluster_behind_its_block(ran):
    assert [] == [pid for pid in ran[2] if Path(f"/proc/{pid}").exists()]


def test_buckets_divide_tasks_shuffled_bytes_and_state_among_executors(ran):
    answer = ran[3]
    for figure in ("tasks", "read"):
        assert 2 == sum(done[figure] > 0 for done in answer["split"].values()), (figure, answer["split"])
    smaller, larger = sorted(answer["state_bytes"])
    assert larger < 1.5 * smaller


def in_process(folder: Path) -> pa.Table:
    """Join the same files without Spark."""
    tables = {name: ds.dataset(sorted(map(str, (folder / name).glob("*.parquet")))).to_table() for name in "ab"}
    streams = [sw.stream(table, name=name, event_time="ts", arrival="seq") for name, table in tables.items()]
    return sw.join(*streams, on="key", within="5 seconds", contract=CONTRACTS["FixedSlack"]).results


def pairs(results: pa.Table, last) -> list[tuple[int, int]]:
    before = results.filter(pc.less(results["event_time"], pa.scalar(last, results.schema.field("event_time").type)))
    return sorted((row["a"]["value"], row["b"]["value"]) for row in before.select(["a", "b"]).to_pylist())
