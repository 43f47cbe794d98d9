"""What is asked of `slackwater load` is looked at before anything is run."""

from __future__ import annotations

import pytest

from slackwater.errors import ParameterError
from tests.load.command import main, main_soak


def test_a_part_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"part.*'overlod'.*overload"):
        main(parts=["overlod"], output=tmp_path)


def test_a_query_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"query.*'joins'.*join"):
        main_soak(minutes=1, query="joins", output=tmp_path)
