from __future__ import annotations

from slackwater.control import Fixed, StaticHigh, StaticLow
from slackwater.time import Duration


def test_the_two_differ_from_a_fixed_slack_in_their_defaults_alone():
    assert [Duration.of("1 second"), Duration.of("20 seconds")] == [
        StaticLow().build().next_slack(),
        StaticHigh().build().next_slack(),
    ]
    assert Fixed("3 seconds").build().next_slack() == StaticHigh("3 seconds").build().next_slack()
