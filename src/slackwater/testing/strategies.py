"""Hypothesis strategies: event streams of many shapes, batches, contracts.

Times are whole multiples of `unit` (a second unless told otherwise), so that ties and delays equal to the slack are
common. Every stream is one that an operator must cope with: there is nothing to filter out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from slackwater.contracts import Contract, FixedSlack, MaxSlack, NoSlack
from slackwater.control import Speculative
from slackwater.control.choose import default_controller
from slackwater.core.late import LatePolicy
from slackwater.events import Events
from slackwater.pipeline.guard import Incoming
from slackwater.testing.scripted import Scripted
from slackwater.time import MIN_TIME, Duration

try:
    from hypothesis import strategies as st
except ImportError as error:
    raise ImportError("slackwater.testing needs hypothesis: pip install slackwater[testing]") from error

SECOND = 1_000_000
PROCESSING_TIME = 1_000_000 * SECOND  # when everything arrives; streams end long before, but for their future events
MAX_AHEAD = Duration.of("1 hour")

Times = list[int]


def event_times(*, max_size: int = 30, unit: int = SECOND) -> st.SearchStrategy[Times]:
    """Event times in arrival order: in order, with ties, shuffled a little, heavy-tailed, in bursts, reversed, any.

    The start is drawn as well, so that some streams begin before 1970.
    """
    shape = st.sampled_from(_SHAPES).flatmap(lambda build: build(max_size))
    start = st.sampled_from([0, 0, -20, 1_000])
    return st.builds(lambda times, first: [(first + time) * unit for time in times], shape, start)


def events(*, max_size: int = 30, unit: int = SECOND) -> st.SearchStrategy[Events]:
    """Events in arrival order, some of which arrive together."""
    return event_times(max_size=max_size, unit=unit).flatmap(
        lambda times: st.builds(
            lambda new_step: Events.of(times, arrival=accumulate(new_step)),
            st.lists(st.sampled_from([1, 1, 1, 0]), min_size=len(times), max_size=len(times)),
        )
    )


def incoming(*, max_size: int = 30, unit: int = SECOND, bad_times: bool = True) -> st.SearchStrategy[Incoming]:
    """A whole stream as it came; with `bad_times`, some events have no time, an absurd one, or one in the future."""
    whole = events(max_size=max_size, unit=unit)
    if not bad_times:
        return whole.map(lambda good: Incoming(good, None, PROCESSING_TIME))
    kind = st.sampled_from([_GOOD] * 8 + [_MISSING, _ABSURD, _FUTURE])
    return whole.flatmap(
        lambda good: st.lists(kind, min_size=len(good), max_size=len(good)).map(lambda kinds: _spoiled(good, kinds))
    )


def splits(whole: Incoming, *, max_batches: int = 5) -> st.SearchStrategy[list[Incoming]]:
    """Ways to cut a stream into batches, some of them empty. Events that arrived together stay together."""
    starts = [0, *(np.flatnonzero(np.diff(whole.events.arrival)) + 1).tolist(), len(whole.events)]
    cuts = st.lists(st.sampled_from(starts), max_size=max_batches - 1)
    return cuts.map(lambda inner: cut(whole, [0, *sorted(inner), len(whole.events)]))


def batches(
    *, max_size: int = 30, max_batches: int = 5, unit: int = SECOND, bad_times: bool = True
) -> st.SearchStrategy[list[Incoming]]:
    """A stream cut into batches."""
    whole = incoming(max_size=max_size, unit=unit, bad_times=bad_times)
    return whole.flatmap(lambda stream: splits(stream, max_batches=max_batches))


def durations(*, max_units: int = 8, unit: int = SECOND) -> st.SearchStrategy[Duration]:
    """Durations of whole units."""
    return st.integers(0, max_units).map(lambda count: Duration(count * unit))


def contracts(*, unit: int = SECOND) -> st.SearchStrategy[Contract]:
    """Contracts that `reorder` can keep, with caps, intervals, speculative and scripted controllers."""
    slack = durations(unit=unit)
    plain = st.one_of(st.builds(NoSlack), st.builds(MaxSlack), slack.map(FixedSlack))
    speculative = st.builds(lambda inner, alpha: Speculative(default_controller(inner), alpha), plain, st.floats(0, 1))
    scripted = st.lists(slack, min_size=1, max_size=4).map(lambda script: Scripted(tuple(script)))
    options: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
        {
            "cap": st.none() | slack,
            "adaptation_interval": st.integers(1, 6).map(lambda count: Duration(count * unit)),
            "controller": st.one_of(st.none(), speculative, scripted),
        }
    )
    return st.one_of(
        options.map(lambda given: NoSlack(**given)),
        options.map(lambda given: MaxSlack(**given)),
        st.builds(lambda wait, given: FixedSlack(wait, **given), slack, options),
    )


def late_policies(*, fail: bool = False) -> st.SearchStrategy[LatePolicy]:
    """Late policies; `fail` adds the one that raises."""
    policies = [LatePolicy.side(), LatePolicy.drop(), LatePolicy.adjust()]
    return st.sampled_from([*policies, LatePolicy.fail()] if fail else policies)


def cut(whole: Incoming, positions: Sequence[int]) -> list[Incoming]:
    """Cut a stream at positions, the first of which is 0 and the last its length."""
    return [whole[start:stop] for start, stop in pairwise(positions)]


# Shapes: each takes the largest size and gives lists of whole numbers.

_Shape = Callable[[int], st.SearchStrategy[Times]]


def _in_order(size: int) -> st.SearchStrategy[Times]:
    return st.lists(st.integers(0, 3), max_size=size).map(lambda gaps: list(accumulate(gaps)))


def _ties(size: int) -> st.SearchStrategy[Times]:
    return st.lists(st.integers(0, 3), max_size=size)


def _shuffled_a_little(size: int) -> st.SearchStrategy[Times]:
    return _delayed(size, st.integers(0, 4))


def _heavy_tail(size: int) -> st.SearchStrategy[Times]:
    return _delayed(size, st.integers(0, 12).map(lambda power: 2**power // 64))


def _bursts(size: int) -> st.SearchStrategy[Times]:
    gaps = st.sampled_from([0, 0, 0, 1, 40])
    return st.lists(gaps, max_size=size).map(lambda each: list(accumulate(each)))


def _reversed(size: int) -> st.SearchStrategy[Times]:
    return _in_order(size).map(lambda times: times[::-1])


def _any(size: int) -> st.SearchStrategy[Times]:
    return st.lists(st.integers(-5, 40), max_size=size)


_SHAPES: list[_Shape] = [_in_order, _ties, _shuffled_a_little, _heavy_tail, _bursts, _reversed, _any]


def _delayed(size: int, delay: st.SearchStrategy[int]) -> st.SearchStrategy[Times]:
    steps = st.tuples(st.integers(0, 3), delay)
    return st.lists(steps, max_size=size).map(
        lambda drawn: [now - delay for now, (_, delay) in zip(accumulate(gap for gap, _ in drawn), drawn, strict=True)]
    )


# Bad times

_GOOD, _MISSING, _ABSURD, _FUTURE = "good", "missing", "absurd", "future"


def _spoiled(good: Events, kinds: list[str]) -> Incoming:
    kind = np.array(kinds, dtype=object)
    time = np.where(kind == _ABSURD, MIN_TIME - 1, good.time)
    time = np.where(kind == _FUTURE, PROCESSING_TIME + MAX_AHEAD.microseconds + 1, time).astype(np.int64)
    return Incoming(Events(time, good.arrival, good.row), np.asarray(kind != _MISSING, np.bool_), PROCESSING_TIME)
