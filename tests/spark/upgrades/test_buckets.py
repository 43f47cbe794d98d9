"""State of buckets that earlier versions wrote is read, and gives what it gave then; no Spark needed."""

from __future__ import annotations

import pytest

from slackwater.pipeline.reorder import STATE_VERSION
from tests.spark.upgrades.buckets import cases, go_on, read_bucket
from tests.spark.upgrades.packed import HOME

STOPPED = sorted(HOME.glob("state-*/*.json.xz"))


@pytest.mark.parametrize("file", STOPPED, ids=lambda file: f"{file.parent.name} {file.name}")
def test_a_bucket_goes_on_as_the_version_did_that_wrote_its_state(file):
    found = read_bucket(file)
    assert len(found["then"]["results"]) > 10
    assert found["then"] == go_on(found)


def test_there_is_state_of_every_case_and_version():
    versions = range(1, STATE_VERSION + 1)
    assert {f"state-{version}/{name}.json.xz" for version in versions for name, _ in cases()} == {
        f"{file.parent.name}/{file.name}" for file in STOPPED
    }


def test_every_case_holds_something_between_its_calls():
    for file in STOPPED:
        assert len(read_bucket(file)["state"]["chunks"]) > 0, file.name
