"""What a bucket was given is the same in rows and in cells of rows that were added up on their way."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa

import slackwater as sw
from slackwater.spark import added_up
from slackwater.spark.given import fingerprint, made_of
from slackwater.spark.horizons import Known
from slackwater.spark.packets import CELLS, ROWS

ROWS_GIVEN = pa.table({"ts": np.arange(1_000) * 3})  # s
WINDOWS = sw.aggregate(
    sw.stream(ROWS_GIVEN, event_time="ts", unit="s"),
    size="10 minutes",
    values={"n": sw.count()},
    contract=sw.NoSlack(),
)


def parts(monkeypatch, *, closed: int) -> dict[int, pa.Table]:
    """What a task packs of all rows for a bucket that has closed its windows up to some second."""
    monkeypatch.setattr(added_up, "horizons_here", lambda: {0: Known(closed * 1_000_000, 10**15)})
    return dict(added_up.parts_of(WINDOWS.node)(0, ROWS_GIVEN))


def test_cells_say_how_many_rows_they_are_made_of(monkeypatch):
    found = parts(monkeypatch, closed=600)
    assert 200 == found[ROWS].num_rows
    assert 800 == made_of(found[CELLS])[0]


def test_rows_and_cells_together_are_the_rows(monkeypatch):
    found = parts(monkeypatch, closed=600)
    expected = json.loads(fingerprint([WINDOWS.node.stream], [ROWS_GIVEN]))
    assert expected == json.loads(fingerprint([WINDOWS.node.stream], [found[ROWS], found[CELLS]]))


def test_cells_of_other_rows_are_noticed(monkeypatch):
    found = parts(monkeypatch, closed=600)
    other = fingerprint([WINDOWS.node.stream], [found[ROWS].slice(1), found[CELLS]])
    assert fingerprint([WINDOWS.node.stream], [ROWS_GIVEN]) != other
