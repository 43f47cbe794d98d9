from __future__ import annotations

import numpy as np
import pytest

from slackwater.estimate.completeness import Completeness
from slackwater.estimate.slots import Slots
from slackwater.models.arrivals_to_come import HALF_LIVES, TRENDS, View, extrapolated, rows_to_come, slide_shares
from tests.oracle.arrivals_to_come import ToCome

SLIDE = 1600
SHAPES = ((80, 80, 8), (160, 80, 8), (100, 30, 5), (60, 20, 3), (70, 100, 4))  # size, slide and slots of a slide


def past_of(times) -> Completeness:
    past = Completeness(Slots.of(size=SLIDE, slide=SLIDE))
    past.update(np.sort(times))
    return past


def spread(counts, *, slots: int = 16) -> np.ndarray:
    """As many events in each slot as the counts say, evenly."""
    width = SLIDE // slots
    return np.concatenate(
        [number * width + np.arange(count) * width // count for number, count in enumerate(counts) if count]
    )


def to_come(past, clock, *, end=None, slack=0) -> float:
    end = (clock // SLIDE + 1) * SLIDE if end is None else end
    return float(rows_to_come(past, clock, np.array([end]), size=SLIDE, slack=slack)[0])


def test_half_a_window_of_an_even_stream_is_to_come():
    assert pytest.approx(40, rel=0.03) == to_come(past_of(np.arange(0, 20 * SLIDE + 800, 20)), 20 * SLIDE + 799)


def test_nothing_is_to_come_of_a_window_that_is_over_in_a_stream_in_order():
    past = past_of(np.arange(0, 20 * SLIDE, 20))
    assert pytest.approx(0, abs=0.5) == to_come(past, 20 * SLIDE - 1, end=19 * SLIDE)


def test_a_slide_that_is_full_at_its_end_has_most_still_to_come():
    counts = np.tile([1] * 8 + [9] * 8, 20)
    assert pytest.approx(72, rel=0.03) == to_come(past_of(spread([*counts, *[1] * 8])), 20 * SLIDE + 799)


def test_differences_between_slots_that_chance_explains_are_ignored():
    random = np.random.default_rng(1)
    view = View.at(past_of(np.sort(random.integers(0, 40 * SLIDE, 4000))), 40 * SLIDE - 1)
    assert 0.1 > np.abs(slide_shares(view) - 1).max()


def test_slots_that_differ_keep_their_shares():
    view = View.at(past_of(spread(np.tile([2] * 8 + [6] * 8, 40))), 40 * SLIDE - 1)
    assert pytest.approx([0.5] * 8 + [1.5] * 8, abs=0.01) == slide_shares(view).tolist()


def test_after_a_lasting_change_the_new_rate_counts():
    counts = [10] * (16 * 20) + [40] * (16 * 10 + 8)
    assert pytest.approx(320, rel=0.1) == to_come(past_of(spread(counts)), 30 * SLIDE + 799)


def test_where_counts_scatter_without_a_trend_the_long_mean_counts():
    random = np.random.default_rng(2)
    counts = random.geometric(0.05, 16 * 60 + 8)
    assert pytest.approx(8 * 20, rel=0.15) == to_come(past_of(spread(counts)), 60 * SLIDE + 799)


def test_averages_of_a_rate_that_grows_evenly_are_extrapolated_to_what_it_will_be():
    lag = np.array(HALF_LIVES[:-1]) / np.log(2)
    assert [pytest.approx(103)] * TRENDS == extrapolated(100 - 2 * lag[None], ahead=1.5)[0].tolist()


def test_a_rate_is_never_extrapolated_below_zero():
    lag = np.array(HALF_LIVES[:-1]) / np.log(2)
    assert 0 == extrapolated(1 + 5 * lag[None], ahead=10).max()


def test_a_trend_is_no_difference_between_the_slots_of_a_slide():
    view = View.at(past_of(spread((10 + np.arange(16 * 40) * 0.25).astype(int))), 40 * SLIDE - 1)
    assert 0.01 > np.abs(slide_shares(view) - 1).max()


def test_several_windows_are_estimated_at_once():
    past = past_of(np.arange(0, 20 * SLIDE + 800, 20))
    ends = np.array([21, 22]) * SLIDE
    found = rows_to_come(past, 20 * SLIDE + 799, ends, size=SLIDE, slack=0)
    assert [40, 80] == pytest.approx(found.tolist(), rel=0.03)


def test_without_a_past_nothing_is_expected():
    assert 0 == to_come(Completeness(Slots.of(size=SLIDE, slide=SLIDE)), 100)


def a_past(seed: int) -> tuple[Completeness, int, int, int]:
    """A short memory of a stream whose rate moves, with delays that are learned; its clock, size and slide."""
    random = np.random.default_rng(seed)
    size, slide, per_slide = SHAPES[seed % len(SHAPES)]
    past, clock = Completeness(Slots(slide, per_slide, per_slide * 16)), -1
    span, delay = slide * random.choice([1, 6, 12, 30]), slide * random.choice([0.02, 0.3, 1.5])
    times = -7 * slide // 2 + (span * random.random(300) ** random.choice([0.7, 1.0])).astype(int)
    for part in np.array_split(times[np.argsort(times + random.exponential(delay, 300))], 12):
        past.update(part)
        clock = max(clock, int(part.max()))
        past.look(clock)
        past.settle(clock - int(4 * delay))
    return past, clock, size, slide


@pytest.mark.parametrize("seed", range(40))
def test_what_is_to_come_is_what_slots_say_one_by_one(seed):
    past, clock, size, slide = a_past(seed)
    for first, windows, slack in ((0, 3, 0), (1, 1, slide // 3), (-2, 2, 3 * slide), (-20, 1, 0)):
        ends = (clock // slide + first + np.arange(windows)) * slide
        found = rows_to_come(past, clock, ends, size=size, slack=slack)
        assert (
            pytest.approx(ToCome(past, clock).rows(ends.tolist(), size=size, slack=slack), rel=1e-6) == found.tolist()
        )


@pytest.mark.parametrize(("size", "slide", "per_slide"), SHAPES)
def test_what_is_to_come_does_not_depend_on_where_time_begins(size, slide, per_slide):
    def found(shift: int) -> list[float]:
        past = Completeness(Slots(slide, per_slide, 12 * per_slide))
        times = np.cumsum(np.random.default_rng(1).integers(0, 5, 10 * slide)) // 2
        past.update(times + shift)
        clock = int(times[-1]) + shift
        ends = [np.array([(clock // slide + windows) * slide]) for windows in (1, 2, 3)]
        return [float(rows_to_come(past, clock, end, size=size, slack=slide // 3)[0]) for end in ends]

    assert pytest.approx(found(0)) == found(-20 * slide)
