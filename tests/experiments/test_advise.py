"""Every figure of an advice, against another way to get it: a run of the library, DuckDB, or counting."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import slackwater as sw
from slackwater.errors import SlackwaterError
from slackwater.sources import load
from slackwater.time import Duration

SECOND = 1_000_000


def bursts(rows: int = 30_000, seed: int = 1) -> pa.Table:
    """100 rows a second; 2 % are late by up to 3 s, in some minutes twice as many by up to 20 s."""
    generator = np.random.default_rng(seed)
    time = np.arange(rows, dtype=np.int64) * 10_000
    bad = (time // (60 * SECOND)) % 3 == 2
    late = generator.random(rows) < np.where(bad, 0.04, 0.02)
    delay = (generator.random(rows) * np.where(bad, 20, 3) * SECOND).astype(np.int64)
    return pa.table({"ts": time - np.where(late, delay, 0), "key": generator.integers(0, 3, rows), "row": range(rows)})


ROWS = bursts()
WISH = sw.DropRatio(0.01)


@pytest.fixture(scope="module")
def advice():
    return sw.advise(ROWS, event_time="ts", unit="us", by="key", contract=WISH)


def run(contract):
    return sw.reorder(sw.stream(ROWS, event_time="ts", unit="us", max_ahead=None), contract=contract)


def shares_by_duckdb(late_rows: list[int]) -> list[float]:
    """The share late of each period of a minute, every 6 s, by the clock when rows came."""
    late = pa.table({"row": pa.array(late_rows, pa.int64())})
    rows = ROWS
    found = duckdb.sql(
        """
        WITH clocked AS (SELECT row, max(ts) OVER (ORDER BY row) AS clock FROM rows),
             edges AS (SELECT min(clock) AS first, max(clock) AS last FROM clocked),
             measured AS (SELECT unnest(range(first + 60000000, last + 1, 6000000)) AS stop FROM edges)
        SELECT stop, avg((row IN (SELECT row FROM late))::INT) FROM measured
        JOIN clocked ON clock >= stop - 60000000 AND clock < stop GROUP BY stop ORDER BY stop
        """
    ).fetchall()
    assert (ROWS.num_rows, len(late_rows)) == (rows.num_rows, late.num_rows)  # which the query reads by name
    return [share for _, share in found]


def test_the_contract_does_what_a_run_of_it_does(advice):
    late = run(WISH).late["row"].to_pylist()
    shares = shares_by_duckdb(late)
    own = advice.policies[0]
    assert ("contract", len(late) / 30_000) == (own.kind, pytest.approx(own.missed))
    assert (max(shares), np.mean(np.array(shares) <= 0.01)) == pytest.approx((own.worst, own.kept))


def test_the_average_slack_is_that_of_its_decisions(advice):
    slack = run(WISH).decisions["slack"].to_numpy()[:-1]
    assert np.mean(slack) == pytest.approx(advice.policies[0].slack, rel=0.01)


@pytest.mark.parametrize("kind", ["every_period", "as_often", "overall"])
def test_a_constant_does_what_a_run_with_it_does(advice, kind):
    policy = advice.policy(kind)
    late = run(sw.FixedSlack(Duration(int(policy.slack)))).late["row"].to_pylist()
    shares = shares_by_duckdb(late)
    assert len(late) / 30_000 == pytest.approx(policy.missed)
    assert (max(shares), np.mean(np.array(shares) <= 0.01)) == pytest.approx((policy.worst, policy.kept))


def test_the_constant_for_every_period_is_the_smallest(advice):
    slack = int(advice.policy("every_period").slack)
    late = run(sw.FixedSlack(Duration(slack - 1))).late["row"].to_pylist()
    assert 1 == advice.policy("every_period").kept
    assert 0.01 < max(shares_by_duckdb(late))


def test_the_constant_over_all_is_the_smallest(advice):
    slack = int(advice.policy("overall").slack)
    late = [run(sw.FixedSlack(Duration(each))).late.num_rows / 30_000 for each in (slack - 1, slack)]
    assert late[1] <= 0.01 < late[0]


def test_the_constant_that_is_kept_as_often_is_the_smallest(advice):
    kept = advice.policies[0].kept
    slack = int(advice.policy("as_often").slack)
    late = run(sw.FixedSlack(Duration(slack - 1))).late["row"].to_pylist()
    assert np.mean(np.array(shares_by_duckdb(late)) <= 0.01) < kept <= advice.policy("as_often").kept


def spark_drops(delay: int) -> list[int]:
    largest, dropped = None, []
    for row, time in enumerate(ROWS["ts"].to_pylist()):
        if largest is not None and time <= (largest // 1_000 - delay // 1_000) * 1_000:
            dropped.append(row)
        largest = time if largest is None else max(largest, time)
    return dropped


def test_the_delay_of_spark_is_the_smallest_that_keeps_every_period(advice):
    delay = int(advice.spark.slack)
    enough, too_short = (spark_drops(each) for each in (delay, delay - 1_000))
    assert (len(enough) / 30_000, max(shares_by_duckdb(enough))) == pytest.approx(
        (advice.spark.missed, advice.spark.worst)
    )
    assert max(shares_by_duckdb(enough)) <= 0.01 < max(shares_by_duckdb(too_short))
    assert f'rows.withWatermark("ts", "{delay // 1_000} milliseconds")' == advice.spark_code


def test_the_curve_is_what_constant_slacks_do(advice):
    places = range(0, len(advice.curve.slack), 40)
    late = [run(sw.FixedSlack(Duration(int(advice.curve.slack[each])))).late.num_rows / 30_000 for each in places]
    assert late == pytest.approx([float(advice.curve.missed[each]) for each in places])


def test_rows_held_are_those_that_decisions_say(advice):
    buffered = run(WISH).decisions["buffered"].to_numpy()[:-1]
    # Decisions see the boundaries only, and the guard of a drop ratio waits longer between two of them.
    assert np.mean(buffered) == pytest.approx(advice.policies[0].held, rel=0.05)


def test_the_parts_are_shares_of_each_key(advice):
    delays = sw.profile(ROWS, event_time="ts", unit="us", by="key").keys
    slack = Duration(int(advice.policy("every_period").slack))
    expected = {each.name: each.behind.share_late(slack) for each in delays}
    assert expected == {each.name: each.missed for each in advice.parts}


@pytest.fixture(scope="module")
def longer():
    return sw.advise(bursts(120_000), event_time="ts", unit="us", contract=WISH)


def test_intervals_hold_what_the_sample_says(longer):
    overall = longer.policy("overall")
    assert longer.slack_interval.low <= overall.slack <= 1.02 * longer.slack_interval.high
    assert longer.missed_interval.low <= overall.missed <= longer.missed_interval.high


def test_five_minutes_are_too_short_for_ten_periods_of_one(advice, longer):
    assert "too short for this target: 30,000 rows in 5 periods of 1 minute" in advice.warnings[0]
    assert advice.slack_interval is None
    assert not any("too short" in each for each in longer.warnings)


def test_both_tables_have_the_same_mean_wait_for_the_same_slack():
    sparse = ROWS.filter(pc.equal(pc.bit_wise_and(ROWS["row"], 63), 0))  # gaps of 0.64 s, in which rows wait on
    found = sw.advise(sparse, event_time="ts", unit="us", contract=WISH)
    slack, waited = found.curve.slack.tolist(), found.curve.mean_wait.tolist()
    policy = next(each for each in found.policies if each.slack == slack[-1])
    assert waited[-1] == pytest.approx(policy.mean_wait)
    assert waited[0] == 0


def test_a_limit_on_mean_waits_holds_where_rows_have_gaps_too():
    sparse = ROWS.filter(pc.equal(pc.bit_wise_and(ROWS["row"], 63), 0))
    found = sw.advise(sparse, event_time="ts", unit="us", contract=sw.MaxSlack(cap="2 seconds"))
    assert 1.3 * SECOND < found.policy("mean_limit").mean_wait <= 2 * SECOND


def test_who_holds_rows_for_longer_is_said(advice):
    assert re.search(r"hold a row for \S+ s on average, \S+ times as long as\s+the contract \(\S+ s\)", str(advice))


def test_a_latency_that_is_too_short_for_the_target_is_said_to_be():
    found = sw.advise(ROWS, event_time="ts", unit="us", contract=sw.DropRatio(0.01, cap="1 second"))
    limit = found.policy("limit")
    assert 'sw.DropRatio(0.01, over="1 minute", cap="1 second")' == found.code
    assert any(each.startswith("The wish cannot be met") for each in found.warnings)
    assert run(sw.FixedSlack("1 second")).late.num_rows / 30_000 == pytest.approx(limit.missed)


def test_a_latency_alone_says_what_it_gives():
    found = sw.advise(ROWS, event_time="ts", unit="us", contract=sw.MaxSlack(cap="2 seconds"))
    assert ("no wait longer than 2 seconds", 'sw.MaxSlack(cap="2 seconds")') == (found.wish, found.code)
    assert run(sw.MaxSlack(cap="2 seconds")).late.num_rows / 30_000 == pytest.approx(found.policies[0].missed)
    assert 2 * SECOND == pytest.approx(found.policy("mean_limit").mean_wait, rel=0.02)
    assert found.policy("limit").mean_wait < 2 * SECOND


def test_all_of_it_can_be_written_as_json(advice):
    assert advice.to_dict() == json.loads(advice.to_json())


def test_the_order_of_rows_is_that_of_the_arrival_column(advice):
    shuffled = ROWS.take(np.random.default_rng(3).permutation(30_000))
    found = sw.advise(shuffled, event_time="ts", unit="us", arrival="row", contract=WISH)
    assert advice.policies == found.policies


# Joins

SYN = load("syn3", seed=1, duration="1 minute")
JOIN = {"event_time": "event_time", "arrival": "arrival", "max_ahead": None}


def streams():
    return [sw.stream(SYN.streams[name], name=name, **JOIN) for name in ("s1", "s2")]


@pytest.fixture(scope="module")
def join_advice():
    return sw.advise(*streams(), on="a1", within="5 seconds", contract=sw.Recall(0.9, over="5 seconds"))


def results_of(contract) -> int:
    return sw.join(*streams(), on="a1", within="5 seconds", contract=contract).results.num_rows


@pytest.fixture(scope="module")
def all_results() -> int:
    return results_of(sw.FixedSlack(Duration.MAX))


def test_all_results_are_counted(join_advice, all_results):
    assert all_results == join_advice.total


def test_the_recall_contract_does_what_a_run_of_it_does(join_advice, all_results):
    assert 1 - results_of(sw.Recall(0.9, over="5 seconds")) / all_results == pytest.approx(
        join_advice.policies[0].missed
    )


@pytest.mark.parametrize("kind", ["every_period", "overall"])
def test_a_constant_recall_is_what_a_run_with_it_gives(join_advice, all_results, kind):
    policy = join_advice.policy(kind)
    found = results_of(sw.FixedSlack(Duration(int(policy.slack))))
    assert 1 - found / all_results == pytest.approx(policy.missed)


def test_the_constant_recall_over_all_is_the_smallest(join_advice, all_results):
    slack = int(join_advice.policy("overall").slack)
    recall = [results_of(sw.FixedSlack(Duration(each))) / all_results for each in (slack - 1, slack)]
    assert recall[0] < 0.9 <= recall[1]


def spark_pairs(streams: list[list[tuple[int, int, int]]], delay_ms: int) -> int:
    """Spark's inner join of two streams of (arrival, time us, key) within 5 ms, each row a batch."""
    arrivals = sorted((arrival, s, time, key) for s, rows in enumerate(streams) for arrival, time, key in rows)
    clocks: list[int | None] = [None, None]
    kept: list[list[tuple[int, int]]] = [[], []]
    pairs = 0
    for _, s, time, key in arrivals:
        spoken = [clock for clock in clocks if clock is not None]
        watermark = min(spoken) // 1_000 - delay_ms if len(spoken) == 2 else None
        clocks[s] = time if clocks[s] is None else max(clocks[s], time)
        if watermark is not None and time <= watermark * 1_000:
            continue
        pairs += sum(abs(time - other) <= 5_000 and key == theirs for other, theirs in kept[1 - s])
        kept[s].append((time, key))
    return pairs


@pytest.mark.parametrize("seed", range(5))
def test_the_delay_of_spark_for_a_join_is_what_its_filter_asks_for(seed):
    generator = np.random.default_rng(seed)
    rows = [
        [
            (2 * number + s, int(time), int(key))
            for number, (time, key) in enumerate(
                zip(
                    1_000 * np.arange(200) - generator.integers(0, 9_000, 200),
                    generator.integers(0, 2, 200),
                    strict=True,
                )
            )
        ]
        for s in range(2)
    ]
    frames = [pa.table(dict(zip(("seq", "ts", "key"), zip(*each, strict=True), strict=True))) for each in rows]
    found = sw.advise(
        *frames, event_time="ts", unit="us", arrival="seq", on="key", within="5 ms",
        contract=sw.Recall(0.9, over="20 ms", adaptation_interval="5 ms"),
    )  # fmt: skip
    total = spark_pairs(rows, 10**6)
    assert total == found.total
    assert 1 - spark_pairs(rows, int(found.spark.slack) // 1_000) / total == pytest.approx(found.spark.missed)


# Mistakes


@pytest.mark.parametrize(
    ("frames", "options", "message"),
    [
        ((), {}, "frames must be one or more"),
        ((ROWS,), {"contract": sw.NoSlack()}, "contract must say what is wished for"),
        ((ROWS,), {"contract": sw.MaxSlack()}, "contract must say what is wished for"),
        ((ROWS,), {"event_time": None}, "event_time must be given"),
        ((ROWS,), {"event_time": "tz"}, "did you mean ts?"),
        ((ROWS, ROWS), {}, "frames must be one without a window"),
        ((ROWS,), {"on": "key"}, "on must come with a window"),
        ((ROWS,), {"within": "5 seconds"}, "frames must be two or more with a window"),
        ((ROWS, ROWS), {"within": "5 seconds"}, "contract must be about results"),
        ((ROWS[:0],), {}, "has no rows"),
        ((pa.table({"ts": pa.array([None], pa.int64())}),), {}, "has no row with a usable event time"),
    ],
)
def test_a_mistake_is_named(frames, options, message):
    with pytest.raises(SlackwaterError, match=message.replace("?", r"\?")):
        sw.advise(*frames, **{"event_time": "ts", "unit": "us", "contract": WISH, **options})


def test_streams_without_results_are_an_error():
    one, other = (pa.table({"ts": [1, 2, 3], "key": [key] * 3}) for key in (1, 2))
    with pytest.raises(SlackwaterError, match="no result"):
        sw.advise(
            one, other, event_time="ts", unit="s", on="key", within="5 s", contract=sw.Recall(0.9, over="5 seconds")
        )


def test_a_single_row_gets_an_advice_that_says_how_little_it_is_worth():
    found = sw.advise({"ts": [5]}, event_time="ts", unit="s", contract=WISH)
    assert "too short" in found.warnings[0]
    assert all(one.slack >= other.slack for one, other in pairwise(found.policies))


def test_columns_called_as_our_attributes_do_no_harm():
    pandas = ROWS.rename_columns(["ts", "node", "frame"]).to_pandas()
    found = sw.advise(pandas, event_time="ts", unit="us", contract=WISH)
    assert 30_000 == found.rows
