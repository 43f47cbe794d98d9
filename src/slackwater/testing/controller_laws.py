"""What every controller must keep, whatever it decides. Named by `slackwater.testing.laws`."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from slackwater.control.controller import Controller
from slackwater.measurement import Counts, Measurement
from slackwater.testing.strategies import SECOND
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.contracts import ControllerConfig
    from slackwater.time import Times

DELAYS: Times = np.array([0, 0, 2, 1, 5, 0, 3, 9, 0, 4], np.int64) * SECOND


def the_config_pickles_to_an_equal_one(config: ControllerConfig) -> None:
    """Configs travel to Spark's workers."""
    assert config == pickle.loads(pickle.dumps(config))


def the_config_is_hashable(config: ControllerConfig) -> None:
    """Configs are values."""
    assert hash(config) == hash(pickle.loads(pickle.dumps(config)))


def the_slack_is_a_duration_from_the_start(config: ControllerConfig) -> None:
    """A controller that has seen nothing has an answer all the same."""
    assert isinstance(_built(config).next_slack(), Duration)


def a_path_has_one_slack_for_each_step(config: ControllerConfig) -> None:
    """Or there is no path at all, for every batch."""
    for length in range(len(DELAYS) + 1):
        path = _built(config).slack_path(DELAYS[:length])
        assert path is None or (length == len(path) and np.int64 == path.dtype)


def no_slack_is_negative(config: ControllerConfig) -> None:
    """Nothing can be released before it came."""
    assert all(slack >= 0 for slack in _lead(_built(config)))


def the_same_input_gives_the_same_slacks(config: ControllerConfig) -> None:
    """No clock, no chance."""
    assert _lead(_built(config)) == _lead(_built(config))


def cutting_a_batch_in_two_gives_the_same_path(config: ControllerConfig) -> None:
    """How the engine cuts the stream must not show."""
    for cut in range(len(DELAYS) + 1):
        whole, parts = _built(config), _built(config)
        expected = whole.slack_path(DELAYS)
        if expected is not None:
            assert expected.tolist() == [*_path(parts, DELAYS[:cut]), *_path(parts, DELAYS[cut:])]


def restoring_after_every_prefix_gives_the_same_remaining_slacks(config: ControllerConfig) -> None:
    """The snapshot, by way of JSON, is the whole truth."""
    for cut in range(len(DELAYS) + 1):
        first = _built(config)
        _lead(first, DELAYS[:cut])
        second: Controller = config.build(json.loads(json.dumps(first.snapshot())))
        assert _lead(first, DELAYS[cut:]) == _lead(second, DELAYS[cut:])


def changing_a_snapshot_does_not_change_the_controller(config: ControllerConfig) -> None:
    """What is handed out is not what is held."""
    controller = _built(config)
    _lead(controller, DELAYS[:5])
    before = json.dumps(controller.snapshot())
    controller.snapshot().clear()
    assert before == json.dumps(controller.snapshot())


def the_delays_are_neither_changed_nor_kept(config: ControllerConfig) -> None:
    """They belong to the operator."""
    controller, delays = _built(config), DELAYS.copy()
    path = controller.slack_path(delays)
    controller.observe(_measurement(delays, 1))
    assert DELAYS.tolist() == delays.tolist()
    assert path is None or not np.shares_memory(path, delays)


def asking_twice_gives_the_same_slack(config: ControllerConfig) -> None:
    """To be asked is not to learn."""
    controller = _built(config)
    _lead(controller, DELAYS[:4])
    assert controller.next_slack() == controller.next_slack()


def a_part_of_an_interval_does_not_change_the_slack(config: ControllerConfig) -> None:
    """Decisions fall at boundaries only; otherwise they would depend on how the stream is cut into batches."""
    controller = _built(config)
    _lead(controller, DELAYS[:4])
    before = controller.next_slack()
    controller.observe(_measurement(DELAYS[4:], 0))
    assert before == controller.next_slack()


CONTROLLER_LAWS: tuple[Callable[[ControllerConfig], None], ...] = (
    the_config_pickles_to_an_equal_one,
    the_config_is_hashable,
    the_slack_is_a_duration_from_the_start,
    a_path_has_one_slack_for_each_step,
    no_slack_is_negative,
    the_same_input_gives_the_same_slacks,
    cutting_a_batch_in_two_gives_the_same_path,
    restoring_after_every_prefix_gives_the_same_remaining_slacks,
    changing_a_snapshot_does_not_change_the_controller,
    the_delays_are_neither_changed_nor_kept,
    asking_twice_gives_the_same_slack,
    a_part_of_an_interval_does_not_change_the_slack,
)


def _built(config: ControllerConfig) -> Controller:
    controller: Controller = config.build()
    return controller


def _path(controller: Controller, delays: Times) -> list[int]:
    path = controller.slack_path(delays)
    return [] if path is None else path.tolist()


def _lead(controller: Controller, delays: Times = DELAYS) -> list[int]:
    """Take a controller through a stream of one event per interval; return every slack that it gave."""
    slacks = []
    for delay in delays:
        slacks += _path(controller, np.array([delay]))
        slacks.append(controller.next_slack().microseconds)
        controller.observe(_measurement(np.array([delay]), 1))
    return slacks


def _measurement(delays: Times, intervals: int) -> Measurement:
    arrived = len(delays)
    return Measurement(
        at=0,
        intervals=intervals,
        slack=0,
        max_delay=int(delays.max(initial=0)),
        delays=delays,
        counts=Counts(arrived=arrived, released=arrived),
    )
