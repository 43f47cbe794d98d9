"""What the reorder operator must keep under every controller. Named by `slackwater.testing.laws`.

Hypothesis looks for counterexamples, always the same ones: streams of every shape with bad times among them, cut into
batches in every way, with one clock and with a clock per key, with both release modes and the late policies.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, product
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.contracts import MaxSlack
from slackwater.core.arrivals import Arrivals
from slackwater.core.late import LatePolicy
from slackwater.events import Events, Reason
from slackwater.pipeline.guard import Incoming, turn_away
from slackwater.plan.nodes import ReorderNode, StreamNode
from slackwater.testing import strategies as sst
from slackwater.testing.trace import KEYS, Driver, Trace, run_all
from slackwater.time import is_released, release_horizon

try:
    from hypothesis import given, settings
    from hypothesis import strategies as st
except ImportError as error:
    raise ImportError("slackwater.testing needs hypothesis: pip install slackwater[testing]") from error

if TYPE_CHECKING:
    from slackwater.contracts import ControllerConfig

_look_for_counterexamples = settings(
    max_examples=15, deadline=None, derandomize=True, database=None, report_multiple_bugs=False
)
_BY: tuple[tuple[str, ...], ...] = ((), ("key",))  # one clock; a clock per key


def node_for(config: ControllerConfig, **options: Any) -> ReorderNode:
    """Return a reorder plan that a controller leads, with a decision every two seconds."""
    stream = StreamNode(name="stream", event_time="event_time", max_ahead=sst.MAX_AHEAD)
    # The contract's kind plays no part once it names its controller.
    contract = MaxSlack(controller=config, adaptation_interval="2 seconds")
    return ReorderNode(stream=stream, contract=contract, **options)


def _nodes(config: ControllerConfig) -> st.SearchStrategy[ReorderNode]:
    release, by = st.sampled_from(["arrival", "clock"]), st.sampled_from(_BY)
    return st.builds(
        lambda late, mode, keys: node_for(config, late=late, release=mode, by=keys), sst.late_policies(), release, by
    )


def every_event_is_released_late_or_buffered(config: ControllerConfig) -> None:
    """Arrived = released + late + buffered after every batch, and the outputs agree with the counts."""

    @_look_for_counterexamples
    @given(_nodes(config), sst.batches())
    def law(node: ReorderNode, batches: list[Incoming]) -> None:
        driver, trace, arrived = Driver(node), Trace(), 0
        for batch in batches:
            trace += driver.on_batch(batch)
            arrived += len(batch.events)
            counts = driver.pipeline.counts
            assert counts.balanced
            assert (arrived, len(trace.released)) == (counts.arrived, counts.released)
            assert counts.late == len(trace.late) or node.late == LatePolicy.drop()

    law()


def released_times_never_decrease(config: ControllerConfig) -> None:
    """From batch to batch and through the drain, whatever the slack does; with a clock per key, of each key."""

    @_look_for_counterexamples
    @given(_nodes(config), sst.batches())
    def law(node: ReorderNode, batches: list[Incoming]) -> None:
        released = run_all(node, batches).released
        for key in range(KEYS) if node.by else [None]:
            times = [time for time, row in released if key is None or row % KEYS == key]
            assert sorted(times) == times

    law()


def any_split_into_batches_gives_the_same(config: ControllerConfig) -> None:
    """Released events, late events and decisions: how the engine cuts the stream must not show."""

    @_look_for_counterexamples
    @given(_nodes(config), sst.incoming().flatmap(lambda whole: st.tuples(st.just(whole), sst.splits(whole))))
    def law(node: ReorderNode, stream: tuple[Incoming, list[Incoming]]) -> None:
        whole, parts = stream
        assert run_all(node, [whole]).by_row() == run_all(node, parts).by_row()

    law()


def restoring_after_every_prefix_gives_the_same_remaining_output(config: ControllerConfig) -> None:
    """The snapshot, by way of JSON, and the buffered events are the whole truth."""

    @_look_for_counterexamples
    @given(_nodes(config), sst.batches(max_size=20))
    def law(node: ReorderNode, batches: list[Incoming]) -> None:
        undisturbed = Driver(node)
        for batch in batches:
            restored = undisturbed.restored()
            assert undisturbed.on_batch(batch) == restored.on_batch(batch)
        assert undisturbed.restored().on_end() == undisturbed.on_end()

    law()


def the_same_input_gives_the_same_output(config: ControllerConfig) -> None:
    """No clock, no chance, nothing shared between two pipelines."""

    @_look_for_counterexamples
    @given(_nodes(config), sst.batches())
    def law(node: ReorderNode, batches: list[Incoming]) -> None:
        assert run_all(node, batches) == run_all(node, batches)

    law()


def the_input_is_neither_changed_nor_kept(config: ControllerConfig) -> None:
    """Columns of a batch may be reused by whoever made them; so may those of an outcome."""

    @_look_for_counterexamples
    @given(_nodes(config), sst.batches())
    def law(node: ReorderNode, batches: list[Incoming]) -> None:
        driver, trace = Driver(node), Trace()
        for batch in batches:
            lent = _copy(batch)
            outcome = driver.pipeline.on_batch(lent)
            trace += Trace.of(outcome)
            assert _columns(batch) == _columns(lent)
            for used in (lent.events, outcome.released, outcome.late.events):
                used.time[:] = used.row[:] = -1
        assert run_all(node, batches) == trace + driver.on_end()

    law()


def any_order_within_the_slack_gives_the_in_order_output(config: ControllerConfig) -> None:
    """Once the controller has seen a delay, permutations with no larger delay than its slack are undone."""

    @_look_for_counterexamples
    @given(st.sampled_from(["arrival", "clock"]), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 99))), st.data())
    def law(release: Any, drawn: list[tuple[int, int]], data: st.DataObject) -> None:
        driver = Driver(node_for(config, release=release))
        warm_up = driver.on_batch(Incoming(Events.of([-100 * sst.SECOND, -103 * sst.SECOND])))
        slack = driver.pipeline.slack // sst.SECOND
        nows = accumulate(gap for gap, _ in drawn)
        times = [(now - share % (slack + 1)) * sst.SECOND for now, (_, share) in zip(nows, drawn, strict=True)]
        out = Trace()
        for batch in data.draw(sst.splits(Incoming(Events.of(times)))):
            out += driver.on_batch(batch)
        released = [time for time, _ in (warm_up + out + driver.on_end()).released]
        assert sorted(times) == [time for time in released if time > -99 * sst.SECOND]

    law()


def an_event_within_every_slack_so_far_is_not_late(config: ControllerConfig) -> None:
    """An event is late only if some slack before it was smaller than its delay."""

    @_look_for_counterexamples
    @given(st.sampled_from(["arrival", "clock"]), sst.incoming(bad_times=False))
    def law(release: Any, whole: Incoming) -> None:
        node = node_for(config, release=release)
        late = {row for row, _, _ in run_all(node, [whole]).late}
        driver, least = Driver(node), Driver(node).pipeline.slack
        for step in _steps(whole):
            arrivals = Arrivals.after(driver.pipeline.clock, step.events)
            in_time = arrivals.events.row[arrivals.delay <= least]
            assert late.isdisjoint(in_time.tolist())
            driver.on_batch(step)
            least = min(least, driver.pipeline.slack)

    law()


def only_events_of_the_last_slack_are_held(config: ControllerConfig) -> None:
    """Held state is bounded by the slack in force, when events are released at every arrival."""

    @_look_for_counterexamples
    @given(sst.incoming())
    def law(whole: Incoming) -> None:
        driver = Driver(node_for(config))
        for step in _steps(whole):
            before = driver.pipeline.slack
            driver.on_batch(step)
            if driver.pipeline.clock is not None and len(turn_away(step, sst.MAX_AHEAD)[0]):
                horizon = release_horizon(driver.pipeline.clock, max(before, driver.pipeline.slack))
                assert not is_released(driver.buffer.snapshot().time, horizon).any()

    law()


def an_empty_stream_gives_nothing(config: ControllerConfig) -> None:
    """Not even a decision."""
    nothing = Incoming(Events.none())
    for by in _BY:
        assert Trace() == run_all(node_for(config, by=by), [nothing, nothing])


def a_single_event_is_released(config: ControllerConfig) -> None:
    """By the end of the stream at the latest, wherever it lies in time."""
    for time, by in product((0, 7 * sst.SECOND, -7 * sst.SECOND), _BY):
        trace = run_all(node_for(config, by=by), [Incoming(Events.of([time]))])
        assert ([(time, 0)], []) == (trace.released, trace.late)


def events_without_a_usable_time_leave_the_rest_alone(config: ControllerConfig) -> None:
    """They are late, with the reason, and neither clock nor order nor slack know of them."""

    @_look_for_counterexamples
    @given(st.sampled_from(_BY), sst.incoming())
    def law(by: Any, whole: Incoming) -> None:
        good, bad = turn_away(whole, sst.MAX_AHEAD)
        with_bad = run_all(node_for(config, by=by), [whole])
        without = run_all(node_for(config, by=by), [Incoming(good)])
        assert without.released == with_bad.released
        assert sorted(bad.events.row.tolist()) == sorted(row for row, _, reason in with_bad.late if reason in _BAD)

    law()


_BAD = (str(Reason.NULL_TIME), str(Reason.FUTURE))

REORDER_LAWS: tuple[Callable[[ControllerConfig], None], ...] = (
    every_event_is_released_late_or_buffered,
    released_times_never_decrease,
    any_split_into_batches_gives_the_same,
    restoring_after_every_prefix_gives_the_same_remaining_output,
    the_same_input_gives_the_same_output,
    the_input_is_neither_changed_nor_kept,
    any_order_within_the_slack_gives_the_in_order_output,
    an_event_within_every_slack_so_far_is_not_late,
    only_events_of_the_last_slack_are_held,
    an_empty_stream_gives_nothing,
    a_single_event_is_released,
    events_without_a_usable_time_leave_the_rest_alone,
)


def _steps(whole: Incoming) -> list[Incoming]:
    """Cut a stream into its steps."""
    starts = [0, *(np.flatnonzero(np.diff(whole.events.arrival)) + 1).tolist()]
    return sst.cut(whole, [*starts, len(whole.events)])


def _copy(batch: Incoming) -> Incoming:
    events = batch.events
    copied = Events(events.time.copy(), events.arrival.copy(), events.row.copy())
    return Incoming(copied, batch.has_time, batch.processing_time)


def _columns(batch: Incoming) -> list[list[int]]:
    return [column.tolist() for column in (batch.events.time, batch.events.arrival, batch.events.row)]
