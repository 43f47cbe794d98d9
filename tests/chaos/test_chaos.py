"""A short form of `make chaos`: one process of each kind is killed while a join runs on a cluster."""

from __future__ import annotations

import random
from contextlib import ExitStack
from pathlib import Path

import pytest
from benchmarks.cluster import ClusterError, cluster

from tests.chaos.disturb import disturb
from tests.chaos.inputs import rows_of, streams_of, write_input
from tests.chaos.undisturbed import ROWS
from tests.chaos.verify import verify_folder

pytestmark = [pytest.mark.spark, pytest.mark.slow]
NAME, FILES = "join of 2", 6


@pytest.fixture(scope="module")
def disturbed(tmp_path_factory):
    """What happened to a query, and where it is; its cluster has ended."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("processes are found in /proc, which this system does not have")
    folder = tmp_path_factory.mktemp("chaos")
    write_input(folder, streams_of(rows_of(FILES * ROWS, seed=6), 2, seed=6), FILES)
    with ExitStack() as stack:
        try:
            running = stack.enter_context(cluster(2))
        except (ClusterError, OSError) as error:
            pytest.skip(f"the processes of a cluster cannot be started here: {error}")
        return disturb(running, folder, NAME, ["driver", "worker", "executor", "python"], random.Random(6)), folder


@pytest.mark.timeout(900)
def test_a_join_whose_processes_are_killed_one_after_the_other_loses_nothing(disturbed):
    done, folder = disturbed
    assert ["driver", "executor", "python", "worker"] == sorted(kill.kind for kill in done.kills)
    verdict = verify_folder(NAME, folder, folder)
    assert verdict.is_good, verdict
    assert min(verdict.results, verdict.late) > 10


def test_a_driver_that_was_killed_was_started_again(disturbed):
    assert 2 == disturbed[0].starts - len(disturbed[0].failures)
