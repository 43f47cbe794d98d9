"""Thin buckets that are led by one controller: what they give up and what they gain; no Spark needed."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import slackwater as sw
from slackwater.spark.call import DECISIONS, LATE, RESULTS
from tests.spark.rounds import SCHEMA, Rounds, join_of, recall_by_minute, thin_streams

CONTRACT = sw.Recall(0.95, over="1 minute")
SECONDS, BUCKETS = 300, 8


@pytest.fixture(scope="module")
def tables() -> list[pa.Table]:
    return thin_streams(seconds=SECONDS, per_second=20, keys=80)


def rounds_of(tables, scope) -> Rounds:
    node = join_of(tables, CONTRACT, buckets=BUCKETS, scope=scope).node
    return Rounds(node, lambda keys: keys % BUCKETS).run(tables, count=SECONDS // 10)


@pytest.fixture(scope="module")
def led(tables) -> Rounds:
    return rounds_of(tables, "global")


def test_one_slack_for_thin_buckets_keeps_the_contract_with_much_less_waiting(tables, led):
    truth = join_of(tables, sw.FixedSlack("1 hour")).results
    recall = recall_by_minute(led.output(RESULTS), truth, seconds=range(120, SECONDS))
    assert recall.min() >= 0.95 * 0.99
    assert led.mean_slack(after=120) < 0.6 * rounds_of(tables, "bucket").mean_slack(after=120)


def test_every_row_is_accounted_for(tables, led):
    in_buckets = led.output(DECISIONS).filter(pc.field("bucket").is_valid())
    last = in_buckets.group_by("bucket").aggregate([(name, "max") for name in ("arrived", "released", "late")])
    assert sum(map(len, tables)) == pc.sum(last["arrived_max"]).as_py()
    assert led.output(LATE).num_rows == pc.sum(last["late_max"]).as_py()


def test_buckets_that_follow_claim_neither_a_target_nor_an_estimate(led):
    late = led.output(DECISIONS).filter(pc.field("at") > pa.scalar(60_000_000, pa.timestamp("us", tz="UTC")))
    followed, decided = (late.filter(which) for which in (pc.field("bucket").is_valid(), pc.field("bucket").is_null()))
    assert (0, 0) == tuple(pc.count(followed[name]).as_py() for name in ("target", "estimated"))
    assert {0.95} == set(decided["target"].to_pylist())
    assert set(followed["slack"].to_pylist()) <= {told.slack for told in led.told}


def test_a_quiet_bucket_does_not_keep_the_driver_from_deciding(tables):
    busy = [table.filter(pc.not_equal(pc.bit_wise_and(table["key"], 3), 0)) for table in tables]
    led = Rounds(join_of(tables, CONTRACT, buckets=4, scope="global").node).run(busy, count=SECONDS // 20)
    assert led.told[-1].at // 1_000_000 >= SECONDS - 2


def test_a_bucket_that_hears_nothing_new_for_a_period_decides_by_itself(tables):
    led = Rounds(join_of(tables, CONTRACT, buckets=4, scope="global").node)
    led.on_batch([table.filter(pc.field("seq") < 400) for table in tables])  # 20 seconds
    led.on_batch([table.filter(pc.field("seq") >= 400) for table in tables])  # all the rest at once
    decisions = led.output(DECISIONS).filter(pc.field("bucket") == 0)
    own = decisions.filter(pc.field("estimated").is_valid())["at"].cast(pa.int64()).to_numpy() // 1_000_000
    assert {False} == {bool(((own > 22) & (own < 79)).any())}
    assert (own > 80).sum() > 100


def test_a_clock_from_the_future_in_one_bucket_leaves_the_others_to_decide_by_themselves(tables):
    led = Rounds(join_of(tables, CONTRACT, buckets=4, scope="global").node)
    halves = [[table.filter(side) for table in tables] for side in (pc.field("seq") < 2_000, pc.field("seq") >= 2_000)]
    wild = pa.table([[10**9], [1_999], [0]], SCHEMA)  # in bucket 0
    led.on_batch([pa.concat_tables([halves[0][0], wild]), halves[0][1]])
    led.on_batch(halves[1])
    others = led.output(DECISIONS).filter(pc.field("bucket") > 0)
    own = others.filter(pc.field("estimated").is_valid())["at"].cast(pa.int64()).to_numpy()
    assert (own > 170_000_000).sum() > 200


def test_one_bucket_has_nothing_to_add_up(tables):
    one = Rounds(join_of(tables, CONTRACT, scope="global").node, lambda keys: keys * 0)
    one.on_batch([table.slice(0, 2_000) for table in tables])
    assert {0} == set(one.output(DECISIONS)["bucket"].to_pylist())
    assert SCHEMA == tables[0].schema


def test_in_process_both_scopes_give_the_same(tables):
    parts = [table.slice(0, 1_000) for table in tables]
    both = [join_of(parts, CONTRACT, buckets=4, scope=scope) for scope in ("bucket", "global")]
    assert both[0].results.equals(both[1].results)
    assert both[0].decisions.drop_columns(["took_us"]).equals(both[1].decisions.drop_columns(["took_us"]))
