"""The program that an advice shows for Spark runs as it is."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import ParameterError

pytestmark = pytest.mark.spark


def test_the_code_for_spark_starts_a_query(spark, tmp_path):
    (tmp_path / "incoming" / "rows").mkdir(parents=True)
    table = pa.table({"ts": [1_000 * each - 1_500 * (each % 10 == 7) for each in range(600)]})
    for path in ("rows.parquet", "incoming/rows/one.parquet"):
        pq.write_table(table, tmp_path / path)
    found = sw.advise(tmp_path / "rows.parquet", event_time="ts", unit="ms", contract=sw.DropRatio(0.05))
    code = re.sub(r'"(incoming|out)/', rf'"{tmp_path}/\1/', found.spark_snippet)  # the paths that a user puts in
    names: dict[str, object] = {}
    exec(compile(code, "snippet", "exec"), names)
    query = names["query"]
    query.processAllAvailable()
    query.stop()
    assert query.exception() is None
    assert (tmp_path / "out" / "checkpoint" / "commits" / "0").exists()


def test_a_dataframe_is_refused_with_the_way_to_take_a_sample(spark):
    with pytest.raises(ParameterError, match=r"be in process.*toArrow"):
        sw.advise(spark.range(3), event_time="id", unit="s", contract=sw.DropRatio(0.05))
