from __future__ import annotations

from slackwater.control import MaxTimestamp
from tests.control.measurements import MS, measured


def _slacks(*measurements) -> list[int]:
    controller, found = MaxTimestamp().build(), []
    for each in measurements:
        controller.observe(each)
        found.append(controller.next_slack().microseconds // MS)
    return found


def test_the_slack_is_how_far_a_stream_was_ahead_at_most():
    # The second stream is in order all the time: its own delays say nothing.
    assert [40, 900, 900] == _slacks(
        measured([0], [0], ahead=[0, 40]), measured([0], [0], ahead=[0, 900]), measured([0], [0], ahead=[0, 5])
    )


def test_delays_within_a_stream_count_too():
    assert [70] == _slacks(measured([0, 70], [0], ahead=[0, 40]))
