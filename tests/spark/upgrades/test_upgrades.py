"""Checkpoints that earlier versions wrote are gone on from; what cannot be is refused with what was changed."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import slackwater as sw
from slackwater.errors import StateError
from slackwater.pipeline.reorder import STATE_VERSION
from slackwater.spark.call import Saved
from slackwater.spark.chain_call import ChainSaved
from slackwater.spark.control_stream import put
from slackwater.spark.join_call import JoinSaved
from slackwater.spark.keyed_call import KeyedSaved
from slackwater.spark.sealed import sealed_text
from slackwater.spark.stored_aggregate import AggregateSaved
from tests.chaos.driver import begin, frames_of, start
from tests.chaos.queries import QUERIES
from tests.chaos.verify import verify_folder
from tests.spark.upgrades.packed import HOME, unpack

STOPPED = sorted(HOME.glob("state-*/*.tar.xz"))


def name_of(file: Path) -> str:
    return file.name.removesuffix(".tar.xz")


def test_there_is_a_checkpoint_of_every_query_and_version():
    assert {(version, name) for version in range(1, STATE_VERSION + 1) for name in QUERIES} == {
        (int(file.parent.name.removeprefix("state-")), name_of(file)) for file in STOPPED
    }


@pytest.mark.parametrize("saved", [Saved, KeyedSaved, JoinSaved, AggregateSaved, ChainSaved])
def test_state_of_a_future_version_is_refused_with_what_to_do(saved):
    text = sealed_text(json.dumps({"version": STATE_VERSION + 1, "plan": "p", "what we": "do not know"}))
    with pytest.raises(StateError, match=rf"version {STATE_VERSION + 1}, expected {STATE_VERSION}; use the version"):
        saved.load((text,), "p")


@pytest.fixture(scope="module")
def went_on(spark, tmp_path_factory):
    """The folders of all queries that had been stopped, after they went on over the rest of their input, at once."""
    home = tmp_path_factory.mktemp("upgrades")
    folders = {file: home / file.parent.name / name_of(file).replace(" ", "_") for file in STOPPED}
    for file, folder in folders.items():
        unpack(file, folder)
        show_the_rest(folder)
    with ThreadPoolExecutor(len(folders)) as threads:
        for done in [threads.submit(begin, spark, folder, name_of(file)) for file, folder in folders.items()]:
            done.result()
    return folders


def show_the_rest(folder: Path) -> None:
    for last in folder.glob("in/*/_*.parquet"):
        last.rename(last.with_name(last.name.removeprefix("_")))
    put(folder / "control" / "drain.json", '{"kind": "drain"}\n')


@pytest.mark.spark
@pytest.mark.parametrize("file", STOPPED, ids=lambda file: f"{file.parent.name} {file.name}")
def test_a_query_that_an_earlier_version_had_begun_ends_with_the_right_results(went_on, file):
    found = verify_folder(name_of(file), went_on[file], went_on[file])
    assert found.is_good, found
    assert found.results > 100


def refused(spark, folder: Path, **changed):
    """Start a stopped join with something else."""
    unpack(HOME / "state-1" / "join of 2.tar.xz", folder)
    a, b = (
        sw.stream(frame, name=name, event_time="ts", unit="ms", arrival="seq", max_ahead=None)
        for name, frame in zip("ab", frames_of(spark, folder), strict=True)
    )
    options = {"on": "key", "within": "50 ms", "buckets": 2, "contract": sw.Recall(0.95, over="5 seconds"), **changed}
    with pytest.raises(StateError) as caught:
        start(sw.join(a, b, **options), folder)
    return str(caught.value)


@pytest.mark.spark
@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"buckets": 4}, "state has been begun with buckets = 2, this query has buckets = 4; change buckets back"),
        ({"within": "60 ms"}, "within of a = 50 ms and within of b = 50 ms, this query has within of a = 60 ms"),
        ({"on": None, "where": "a.key < b.key"}, "condition = a.key = b.key, this query has condition = a.key < b.key"),
    ],
)
def test_a_changed_plan_is_refused_with_both_values_and_what_may_change(spark, tmp_path, changed, says):
    said = refused(spark, tmp_path, **changed)
    assert says in said
    assert "contract, late policy, outputs and trigger may change" in said
