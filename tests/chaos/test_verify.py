"""The verifier finds what it looks for, and nothing where there is nothing; no Spark needed."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.chaos.inputs import NAMES, rows_of, streams_of
from tests.chaos.queries import QUERIES
from tests.chaos.verify import Verdict, verify


@pytest.fixture(scope="module", params=QUERIES)
def ran(request):
    """The rows of a query's streams and of its outputs, as if they had been written in one batch."""
    query = QUERIES[request.param]
    tables = streams_of(rows_of(3_000, seed=3), query.streams, seed=3)
    plan = query.of(tables)
    outputs = {"results": plan.results, "late": plan.late, "decisions": plan.decisions.drop_columns(["took_us"])}
    return request.param, dict(zip(NAMES, tables, strict=False)), {each: written(outputs[each]) for each in outputs}


def written(table: pa.Table) -> pa.Table:
    rows = table.num_rows
    return table.append_column("batch", pa.array([0] * rows)).append_column("position", pa.array(range(rows)))


def verdict_of(ran, results: pa.Table) -> Verdict:
    name, streams, outputs = ran
    return verify(name, streams, {**outputs, "results": results}, outputs)


def test_a_run_in_process_is_what_duckdb_computes(ran):
    found = verdict_of(ran, ran[2]["results"])
    assert (True, 0) == (found.is_good, found.other_than_undisturbed)
    assert min(found.results, found.late) > 10


def final_place(results: pa.Table) -> int:
    """Return where a result is that must be there: of windows, a final one."""
    if "kind" not in results.column_names:
        return results.num_rows // 2
    return pc.index(results["kind"], "final").as_py()


def test_a_result_that_is_missing_is_found(ran):
    results, place = ran[2]["results"], final_place(ran[2]["results"])
    found = verdict_of(ran, pa.concat_tables([results[:place], results[place + 1 :]]))
    assert (1, 0, 0, 1) == (found.lost, found.doubled, found.made_up, found.other_than_undisturbed)


def test_a_result_that_comes_twice_is_found(ran):
    results, place = ran[2]["results"], final_place(ran[2]["results"])
    found = verdict_of(ran, pa.concat_tables([results, results[place : place + 1]]))
    assert (0, 1, 1) == (found.lost, found.doubled, found.other_than_undisturbed)


def test_results_in_another_order_are_found(ran):
    results = ran[2]["results"]
    turned = results.drop_columns(["position"]).take(pa.array(range(results.num_rows))[::-1])
    positions = pa.array(range(results.num_rows))
    assert verdict_of(ran, turned.append_column("position", positions)).out_of_order > 100
