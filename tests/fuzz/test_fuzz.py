"""A short form of fuzzing: a few thousand inputs near to known ones, always the same. `make fuzz` is the long form."""

from __future__ import annotations

import pytest

from tests.fuzz.mutate import mutations
from tests.fuzz.targets import TARGETS

COUNTS = {"sql": 300, "contract": 2_000, "control": 1_500, "state": 2_000, "files": 600}


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_read_is_right_or_refused(name):
    target = TARGETS[name]
    seeds = target.seeds()
    for data in (*seeds, *mutations(seeds, target.words, count=COUNTS[name], seed=7)):
        target.run(data)
