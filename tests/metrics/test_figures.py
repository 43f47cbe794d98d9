"""Figures add batches up, each once."""

from __future__ import annotations

from slackwater.metrics.batch import Batch
from slackwater.metrics.figures import Figures


def batch(number: int = 0, *, latency=None, **observed) -> Batch:
    defaults = {"operator": "join", "measure": "recall", "arrived": 10, "released": 7, "late": 1}
    return Batch(id="7", query="jams", number=number, observed={**defaults, **observed}, latency=latency or {})


def values(figures: Figures) -> dict[tuple[str, ...], float]:
    """Values by metric and its own label."""
    found = {}
    for sample in figures.samples():
        own = [value for name, value in sample.labels.items() if name not in ("query", "operator")]
        found[sample.metric.name, *own] = sample.value
    return found


def test_counts_of_batches_are_added_up():
    figures = Figures()
    for number in range(3):
        figures.on_batch(batch(number))
    assert 30 == values(figures)["arrived_rows",]


def test_a_batch_that_is_replayed_counts_once():
    figures = Figures()
    for number in (0, 1, 1, 0):
        figures.on_batch(batch(number))
    assert 2 == values(figures)["batches",]


def test_late_rows_are_told_apart_by_reason():
    figures = Figures()
    figures.on_batch(batch(late=5, late_late=2, late_future=1))
    assert {"late": 2, "future": 1, "unlisted": 2} == {
        own[0]: value for (name, *own), value in values(figures).items() if name == "late_rows"
    }


def test_late_copies_of_replicated_streams_are_unlisted():
    assert {"late": 1, "unlisted": 3} == batch(late=4, late_late=1).late


def test_durations_are_shown_in_seconds():
    figures = Figures()
    figures.on_batch(batch(slack=2_500_000, latency={"latency_p99": 1_200_000, "batch": 0}))
    found = values(figures)
    assert (2.5, 1.2) == (found["slack_seconds",], found["latency_seconds", "0.99"])


def test_a_gauge_keeps_its_value_where_a_batch_does_not_say_it():
    figures = Figures()
    figures.on_batch(batch(0, measured=0.97))
    figures.on_batch(batch(1, measured=None))
    assert 0.97 == values(figures)["quality_measured", "recall"]


def test_the_quality_of_a_contract_that_rules_no_more_is_not_shown():
    figures = Figures()
    figures.on_batch(batch(0, target=0.99, measured=0.97))
    figures.on_batch(batch(1, measure="drop_ratio", target=0.01))
    qualities = {where: value for where, value in values(figures).items() if where[0].startswith("quality")}
    assert {("quality_target", "drop_ratio"): 0.01} == qualities


def test_a_query_without_a_decision_has_no_measured_quality():
    figures = Figures()
    figures.on_batch(batch())
    assert ("quality_measured", "recall") not in values(figures)


def test_a_query_that_failed_is_counted_and_not_active():
    figures = Figures()
    figures.on_start("7", "jams")
    figures.on_end("7", failed=True)
    found = values(figures)
    assert (1, 0) == (found["failures",], found["active",])


def test_a_query_that_is_restarted_goes_on_counting():
    figures = Figures()
    figures.on_start("7", "jams")
    figures.on_batch(batch(0))
    figures.on_end("7", failed=False)
    figures.on_start("7", "jams")
    figures.on_batch(batch(1))
    found = values(figures)
    assert (20, 1) == (found["arrived_rows",], found["active",])


def test_the_end_of_a_query_of_others_is_not_ours():
    assert not Figures().on_end("8", failed=True)


def test_a_query_takes_the_place_of_one_of_its_name_that_has_ended():
    figures = Figures()
    figures.on_start("7", "jams")
    figures.on_end("7", failed=True)
    figures.on_start("8", "jams")
    assert [1] == [each.value for each in figures.samples() if each.metric.name == "active"]


def test_queries_of_one_name_that_both_run_are_both_kept():
    figures = Figures()
    for query in ("7", "8"):
        figures.on_start(query, "jams")
    assert 2 == figures.queries
