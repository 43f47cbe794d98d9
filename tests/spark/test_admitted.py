"""A recall that is not kept is admitted in `decisions`, also where a micro-batch has many periods; no Spark needed."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import slackwater as sw
from slackwater.spark.call import DECISIONS, RESULTS
from tests.spark.rounds import Rounds, recall_by_minute, thin_streams

TARGET, SECONDS, PER_SECOND = 0.99, 900, 20


def joined(tables, contract):
    """Join two streams whose rows arrive together, batch by batch, in one bucket."""
    streams = [
        sw.stream(table, name=name, event_time="ts", unit="ms") for name, table in zip("ab", tables, strict=True)
    ]
    return sw.join(*streams, on="key", within="1 second", contract=contract, buckets=1)


@pytest.mark.parametrize("batches", [6, 60])
def test_every_minute_that_misses_its_recall_is_admitted(batches):
    tables = thin_streams(seconds=SECONDS, per_second=PER_SECOND, keys=20)
    rounds = Rounds(joined(tables, sw.Recall(TARGET, over="1 minute")).node, bucket_of=lambda keys: keys * 0)
    rounds.run(tables, count=batches)
    truth = joined(tables, sw.MaxSlack()).results
    recall = recall_by_minute(rounds.output(RESULTS), truth, seconds=range(0, SECONDS))
    missed = np.flatnonzero(recall < TARGET)
    assert len(missed)
    for minute in missed:
        measured = measured_within(rounds.output(DECISIONS), minute + 1, minute + 2 + 2 * SECONDS / batches / 60)
        assert not len(measured) or measured.min() < TARGET, f"minute {minute} had {recall[minute]}, and none said so"


def measured_within(decisions, first, last):
    """Return what was measured from one minute to another: of the last one all is known two batches later."""
    known = decisions.filter(pc.is_valid(decisions["measured"]))
    at = known["at"].cast(pa.int64()).to_numpy() / 60e6
    return known["measured"].to_numpy()[(at >= first) & (at <= last)]
