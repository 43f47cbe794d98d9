"""A query that a busy machine did not start is started again; one that failed has failed."""

from __future__ import annotations

import pytest

from slackwater.errors import QueryError
from tests.load.patience import TRIES, Patient

SLOW = QueryError("a", problem="processes of Spark died, or did not start in time", remedy="the same call goes on")
BROKEN = QueryError("a", problem="no space left on device", remedy="make room")


class Query:
    """A query that fails as it is told, or goes on."""

    def __init__(self, error=None):
        self.isActive = error is None
        self._error = error

    def awaitTermination(self):  # noqa: N802
        if self._error:
            raise self._error

    processAllAvailable = awaitTermination  # noqa: N815

    def stop(self):
        self.isActive = False


def started(*errors):
    """Return queries that fail in turn, then one that does not."""
    queries = iter([*map(Query, errors), Query()])
    return Patient(lambda: next(queries))


def test_a_slow_start_is_tried_again_and_work_goes_on():
    with started(SLOW, SLOW, SLOW) as patient:
        patient.check()
        assert not patient.query.isActive
        patient.work_off()
        assert patient.query.isActive


@pytest.mark.parametrize("call", [Patient.check, Patient.work_off])
def test_any_other_failure_is_raised_at_once(call):
    with started(BROKEN) as patient, pytest.raises(QueryError, match="no space"):
        call(patient)


def test_patience_ends():
    with started(*[SLOW] * (TRIES + 1)) as patient, pytest.raises(QueryError, match="in time"):
        patient.work_off()
