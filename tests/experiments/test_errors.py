"""Windows over one stream under bounds on their errors, against hindsight and what else one might do."""

from __future__ import annotations

import json

import numpy as np
import pytest

import slackwater as sw
from slackwater.errors import DatasetError
from slackwater.experiments.errors import compare_errors
from slackwater.experiments.window_stream import windows_of_dataset
from slackwater.quality.relative_error import errors
from slackwater.time import Duration

QUERY = "mean(speed) as speed, count() as n by status size 2 minutes slide 1 minute"


@pytest.fixture(scope="module")
def stream():
    return windows_of_dataset("freeway", duration="2 hours", query=QUERY)


def promise(bound: float = 0.03, **options) -> sw.RelativeError:
    return sw.RelativeError(bound, adaptation_interval="10 seconds", **options)


@pytest.fixture(scope="module")
def runs(stream):
    return compare_errors(stream, [promise(), sw.FixedSlack("5 seconds")])


def test_a_contract_is_followed_by_its_hindsight_and_the_references(runs):
    assert ["contract", "hindsight", "contract", *["reference"] * 4] == [each.kind for each in runs]
    assert ["fixed 5 seconds", "none", "max", "drop 0.03", "AlphaPD"] == [each.policy for each in runs[2:]]


def test_hindsight_keeps_as_many_results(runs):
    contract, best, *_ = (each.figures() for each in runs)
    assert contract["within"] <= best["within"]


@pytest.mark.parametrize("share", [0.8, 0.95])
def test_no_smaller_constant_slack_keeps_as_many(stream, share):
    best = stream.hindsight(promise(), share)
    kept = []
    for slack in (best, best - 1):
        emitted = stream.run(sw.FixedSlack(Duration(slack)))
        kept.append(errors(stream.errors(emitted.windows, promise()), 0.03).within)
    assert kept[1] < share <= kept[0]


def test_the_truth_has_no_errors(stream):
    assert 0.0 == stream.errors(stream.truth, promise()).max()


def test_figures_are_json_also_where_results_are_missing(runs):
    shown = json.loads(json.dumps(runs[3].figures(), allow_nan=False))
    assert shown["missing"] > 0
    assert shown["worst"] is None


def test_a_window_is_emitted_at_least_the_slack_after_its_end(stream):
    assert 5_000_000 <= stream.latency(stream.run(sw.FixedSlack("5 seconds"))) < 9_000_000


def test_series_have_a_row_for_each_window(stream, runs):
    series = runs[0].series()
    assert len(np.unique(stream.truth.place)) == series.num_rows
    assert series["error"].to_numpy().max() <= 1.0


def test_a_set_without_a_query_is_refused_with_those_that_have_one():
    with pytest.raises(DatasetError, match=r"has no stream to be aggregated.*freeway"):
        windows_of_dataset("soccer")


def test_a_window_by_itself_needs_no_more_than_all_of_them(stream):
    alone = stream.best_per_window(promise())
    assert len(np.unique(stream.truth.place)) == len(alone)
    assert stream.hindsight(promise(), 1.0) >= np.median(alone)
