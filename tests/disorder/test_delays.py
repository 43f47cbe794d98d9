from __future__ import annotations

import numpy as np
import pytest

from slackwater.disorder.delays import Delays

DELAYS = np.array([0] * 50 + [1_000] * 40 + [2_000_000] * 9 + [60_000_000])


@pytest.mark.parametrize(("share", "exact"), [(0.5, 0), (0.9, 1_000), (0.99, 2_000_000), (1.0, 60_000_000)])
def test_a_quantile_is_at_most_two_percent_too_large(share, exact):
    assert exact <= Delays.of(DELAYS).quantile(share) <= 1.02 * exact


def test_the_curve_says_what_each_slack_makes_late():
    slack, late = Delays.of(DELAYS).curve()
    assert (0, 0.5) == (slack[0], late[0])
    assert (60_000_000, 0.0) == (slack[-1], pytest.approx(late[-1]))
    assert (np.diff(late) <= 0).all()


def test_a_slack_makes_late_what_has_a_longer_delay():
    assert [0.5, 0.1, 0.01, 0.0] == [
        Delays.of(DELAYS).share_late(slack) for slack in ("0 s", "1 ms", "2 seconds", "1 minute")
    ]


def test_nothing_is_known_of_no_events():
    none = Delays.of(np.zeros(0, np.int64))
    assert (0, 0.0, None, None) == (none.events, none.share_out_of_order, none.quantile(0.5), none.share_late("1 s"))


def test_the_histogram_in_json_adds_up():
    assert len(DELAYS) == sum(count for _, count in Delays.of(DELAYS).to_dict()["histogram"])
