"""State of buckets that earlier versions wrote is read, and gives what it gave then; no Spark needed."""

from __future__ import annotations

import pytest

from slackwater.pipeline.reorder import STATE_VERSION
from tests.spark.upgrades.buckets import cases, go_on, read_bucket
from tests.spark.upgrades.packed import HOME

STOPPED = sorted(HOME.glob("state-*/*.json.xz"))
COUNTED_SINCE = {"state-1/join of 2.json.xz"}  # measured then by a sample, and now by what was made since


@pytest.mark.parametrize("file", STOPPED, ids=lambda file: f"{file.parent.name} {file.name}")
def test_a_bucket_goes_on_as_the_version_did_that_wrote_its_state(file):
    found = read_bucket(file)
    assert len(found["then"]["results"]) > 10
    then, now = found["then"], go_on(found)
    if f"{file.parent.name}/{file.name}" in COUNTED_SINCE:
        then, now = without_measured(then), without_measured(now)
    assert then == now


def without_measured(outputs):
    decisions = [{key: row[key] for key in row if key != "measured"} for row in outputs["decisions"]]
    return {**outputs, "decisions": decisions}


def test_there_is_state_of_every_case_and_version():
    versions = range(1, STATE_VERSION + 1)
    assert {f"state-{version}/{name}.json.xz" for version in versions for name, _ in cases()} == {
        f"{file.parent.name}/{file.name}" for file in STOPPED
    }


def test_every_case_holds_something_between_its_calls():
    for file in STOPPED:
        assert len(read_bucket(file)["state"]["chunks"]) > 0, file.name
