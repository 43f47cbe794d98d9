"""A contract that changes while a real query runs, a restart, and a drain that ends it."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.board.watched import Watched
from slackwater.spark.control_stream import send
from tests.spark.test_query import read

pytestmark = pytest.mark.spark
STATED, CHANGED = sw.FixedSlack("1 hour"), "drop 0.01 over 1 minute cap 2 seconds"


class Running:
    """A reorder with a long slack over files that come one by one."""

    def __init__(self, spark, folder) -> None:
        self.folder, self.spark = folder, spark
        (folder / "in").mkdir()
        self.query = self.start()

    def start(self):
        frame = self.spark.readStream.schema("ts BIGINT").parquet(str(self.folder / "in"))
        outputs = {name: self.folder / name for name in ("results", "late", "decisions", "checkpoint", "control")}
        stream = sw.stream(frame, name="bus", event_time="ts", unit="s")
        return sw.reorder(stream, contract=STATED).start(**outputs)

    def rows(self, *times: int) -> list[int]:
        """Let rows come; return all that have left in order."""
        pq.write_table(pa.table({"ts": pa.array(times, pa.int64())}), self.folder / "in" / f"{times[0]}.parquet")
        self.query.processAllAvailable()
        return self.results()

    def measures(self) -> list[str]:
        """Return what the targets of the batches of this run were about, as progress reports say it."""
        observed = [progress["observedMetrics"].get("slackwater") for progress in self.query.recentProgress]
        return [each["measure"] for each in observed if each is not None and each["measure"] is not None]

    def results(self) -> list[int]:
        return read(self.folder / "results")["ts"].to_pylist()

    def restart(self) -> None:
        self.query.stop()
        self.query = self.start()


def test_a_contract_changes_without_a_restart_outlives_one_and_a_drain_ends_the_query(spark, tmp_path):
    running = Running(spark, tmp_path)
    try:
        assert [] == running.rows(10, 20)
        send(tmp_path / "control", "contract", contract=CHANGED)
        assert [10, 20, 22] == running.rows(22)
        assert ("none", "drop_ratio") == (running.measures()[0], running.measures()[-1])
        running.restart()
        assert [10, 20, 22, 24] == running.rows(24)
        send(tmp_path / "control", "drain", stop=True)
        assert running.query.awaitTermination(90)
    finally:
        running.query.stop()
    assert ([10, 20, 22, 24], None) == (running.results(), running.query.exception())
    seen = Watched(tmp_path / "checkpoint").look()
    assert (CHANGED, 4) == (seen["query"]["contract"], seen["arrived"])
    assert [f"contract: fixed 1 hour -> {CHANGED}"] == [each["words"] for each in seen["decided"]["said"]]
    assert "drain: all that was held has left, the query ended" == seen["said"][0]["words"]
