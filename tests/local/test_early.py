"""Early results that are corrected, and how early they are, as users see them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import slackwater as sw
from slackwater.errors import ParameterError
from slackwater.local import aggregate as runner

SIZE = 10_000  # ms


def poisson(slides=80, *, per_slide=200, lines="ab", seed=1):
    """A stream whose rows travel for up to a tenth of a slide."""
    random = np.random.default_rng(seed)
    happened = np.sort(random.integers(0, slides * SIZE, slides * per_slide))
    order = np.argsort(happened + random.integers(0, SIZE // 10, len(happened)), kind="stable")
    columns = {"ts": happened[order], "seq": np.arange(len(order))}
    columns |= {"line": random.choice(list(lines), len(order)), "x": random.integers(0, 100, len(order))}
    return pa.table(columns)


def plan(table=None, early=None, **options):
    stream = sw.stream(poisson() if table is None else table, event_time="ts", unit="ms", arrival="seq")
    values = {"n": sw.count(), "total": sw.sum("x"), "mean": sw.mean("x"), "most": sw.max("x")}
    asked = {"size": "10 seconds", "values": values, "contract": sw.FixedSlack("1 second")}
    return sw.aggregate(stream, early=early or sw.Early(aggressiveness=0.5), **{**asked, **options})


def of_kind(results, kind):
    return results.filter(pc.equal(results["kind"], kind))


def pairs(results, value, skipped=20):
    """Early and final values of the same windows and groups."""
    early, final = of_kind(results, "early"), of_kind(results, "final")
    keys = [name for name in ("start", "line") if name in flat(final).column_names]
    both = flat(early).join(flat(final).select([*keys, value]), keys, right_suffix="_final").sort_by("start")
    return both.slice(skipped)


def flat(results):
    starts = pc.struct_field(results["window"], "start")
    return results.drop_columns(["window"]).append_column("start", starts)


def test_early_values_have_intervals_and_a_coverage():
    columns = ["n", "n_low", "n_high", "mean", "mean_low", "mean_high", "coverage", "kind", "revision"]
    values = {"n": sw.count(), "mean": sw.mean("x")}
    assert ["window", *columns] == plan(values=values).results.column_names


def test_raw_results_have_no_intervals():
    results = plan(early=sw.Early(aggressiveness=0.5, estimate="raw")).results
    assert ["window", "n", "total", "mean", "most", "kind", "revision"] == results.column_names


@pytest.mark.parametrize("value", ["n", "total"])
def test_counts_and_sums_are_about_what_they_will_be(value):
    both = pairs(plan().results, value)
    assert 0.02 > abs(float(pc.sum(both[value]).as_py()) / float(pc.sum(both[f"{value}_final"]).as_py()) - 1)


def test_about_half_of_the_rows_are_covered_half_way():
    early = of_kind(plan().results, "early")["coverage"].to_numpy()[20:]
    assert 0.48 == pytest.approx(float(early.mean()), abs=0.04)


@pytest.mark.parametrize("value", ["n", "total", "mean"])
def test_intervals_hold_nine_of_ten_final_values(value):
    both = pairs(plan(poisson(slides=400)).results, value, skipped=40)
    low, high, final = (both[name].to_numpy() for name in (f"{value}_low", f"{value}_high", f"{value}_final"))
    assert 0.9 == pytest.approx(float(((low <= final) & (final <= high)).mean()), abs=0.04)


def test_final_results_are_sure():
    final = of_kind(plan().results, "final")
    assert [final["n"].to_pylist()] * 2 == [final[bound].to_pylist() for bound in ("n_low", "n_high")]
    assert {1.0} == set(final["coverage"].to_pylist())


def test_there_are_no_intervals_before_errors_are_known():
    first = of_kind(plan().results, "early").slice(0, 1).to_pylist()[0]
    assert {None} == {first[bound] for bound in ("n_low", "n_high", "most_low", "most_high")}


def test_final_values_are_the_same_with_estimates_and_without():
    raw = plan(early=sw.Early(aggressiveness=0.5, estimate="raw"), by="line").results
    finals = of_kind(plan(by="line").results, "final").select(raw.column_names)
    assert of_kind(raw, "final").to_pylist() == finals.to_pylist()


def test_a_maximum_is_never_expected_below_what_has_come():
    raw = of_kind(plan(early=sw.Early(aggressiveness=0.5, estimate="raw")).results, "early")
    assert (of_kind(plan().results, "early")["most"].to_numpy() >= raw["most"].to_numpy()).all()


def test_times_are_shown_as_they_are():
    table = poisson()
    table = table.append_column("when", table["ts"].cast(pa.timestamp("ms")))
    results = plan(table, values={"last": sw.max("when")}).results
    assert ["window", "last", "coverage", "kind", "revision"] == results.column_names


def test_a_small_integer_is_not_expected_beyond_its_type():
    table = poisson()
    small = table.set_column(3, "x", pc.add(pc.divide(table["x"], 25), 124).cast(pa.int8()))
    assert 127 == pc.max(plan(small, values={"most": sw.max("x")}).results["most"]).as_py()


def test_a_value_that_is_null_has_no_interval():
    table = poisson().set_column(3, "x", pa.nulls(80 * 200, pa.int64()))
    results = plan(table, values={"total": sw.sum("x")}).results
    assert {None} == {each for name in ("total", "total_low", "total_high") for each in results[name].to_pylist()}


@pytest.mark.parametrize("early", [sw.Early(aggressiveness=0.5), sw.Early(accuracy=0.9)], ids=repr)
def test_nothing_depends_on_the_batches(monkeypatch, early):
    whole = plan(early=early, by="line")
    expected, decided = whole.results.to_pylist(), early_rows(whole)
    monkeypatch.setattr(runner, "BATCH_ROWS", 173)
    parts = plan(early=early, by="line")
    assert expected == parts.results.to_pylist()
    assert decided == early_rows(parts)


def early_rows(out):
    return [row for row in out.decisions.to_pylist() if row["operator"] == "early"]


def test_decisions_say_how_accurate_early_values_were():
    last = early_rows(plan())[-4:]
    assert ["n", "total", "mean", "most"] == [row["stream"] for row in last]
    assert [-5_000_000] * 4 == pytest.approx([row["slack"] for row in last], abs=200_000)
    assert all(0.9 < row["measured"] < 1 for row in last)


@pytest.mark.parametrize("estimate", ["raw", "corrected"])
def test_windows_are_shown_as_early_as_the_accuracy_allows(estimate):
    out = plan(poisson(slides=600), sw.Early(accuracy=0.9, estimate=estimate), values={"n": sw.count()})
    rows = early_rows(out)[200:]
    assert 0.9 == pytest.approx(np.mean([row["measured"] for row in rows]), abs=0.02 if estimate == "raw" else 0.09)
    early = -np.mean([row["slack"] for row in rows]) / 10_000_000
    assert (0.03 < early < 0.2) if estimate == "raw" else (0.9 < early <= 1)


def test_more_accuracy_is_later():
    leads = []
    for accuracy in (0.8, 0.95):
        early = sw.Early(accuracy=accuracy, estimate="raw")
        leads.append(np.mean([-row["slack"] for row in early_rows(plan(poisson(slides=300), early))[400:]]))
    assert leads[0] > 2 * leads[1]


def test_an_accuracy_of_times_is_an_error():
    table = poisson()
    table = table.append_column("when", table["ts"].cast(pa.timestamp("ms")))
    with pytest.raises(ParameterError, match="accuracy must be about a value that is a number"):
        plan(table, sw.Early(accuracy=0.9), values={"last": sw.max("when")})


def test_a_plan_of_two_aggregates_shows_what_has_come_and_says_so():
    below = sw.aggregate(
        sw.stream(poisson(), event_time="ts", unit="ms"),
        by="line",
        size="1 second",
        values={"n": sw.count()},
        contract=sw.FixedSlack("1 second"),
    )
    asked = {"size": "10 seconds", "values": {"n": sw.sum("n")}}
    out = sw.aggregate(below, early=sw.Early(aggressiveness=0.5), **asked)
    assert ["window", "n", "kind", "revision"] == out.results.column_names
    assert "early results of several aggregates are not corrected" in out.explain()
    with pytest.raises(ParameterError, match="accuracy must be left out where the results of an aggregate"):
        sw.aggregate(below, early=sw.Early(accuracy=0.9), **asked)


def test_a_prod_for_one_group_expects_as_much_of_it_as_one_for_all():
    asked = {"by": "line", "early": sw.Early(), "values": {"n": sw.count()}}
    table, expected = poisson(slides=10), []
    for where in ({}, {"line": "a"}):
        live = plan(table.slice(0, 0), **asked).live()
        live.feed(table.slice(0, 1_900))
        rows = live.prod(where=where).results.to_pylist()
        expected.append([row["n"] for row in rows if row["line"] == "a"][-1])
    assert expected[0] == pytest.approx(expected[1], rel=0.1)


def test_values_that_are_no_numbers_are_shown_early_without_an_estimate():
    rows = {"ts": [1, 4, 9, 12], "day": pa.array([1, 2, 3, 4], pa.date32())}
    last = sw.aggregate(
        sw.stream(pa.table(rows), event_time="ts", unit="s"),
        size="10 seconds",
        slide="5 seconds",
        values={"day": sw.max("day")},
        contract=sw.NoSlack(),
        early=sw.Early(aggressiveness=0.25),
    )
    assert {"early", "final"} == set(last.results["kind"].to_pylist())
