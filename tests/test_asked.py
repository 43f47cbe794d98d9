from __future__ import annotations

import pytest

from slackwater.errors import ParameterError
from tests.asked import check_among
from tests.chaos.command import main


def test_what_there_is_may_be_asked_for():
    check_among("query", ["join"], ["join", "merge"])


def test_chaos_of_a_query_that_is_not_there_is_refused_before_anything_is_started():
    with pytest.raises(ParameterError, match=r"'reordr'; did you mean reorder\?"):
        main(kills=0, only=["reordr"], faults=False)
