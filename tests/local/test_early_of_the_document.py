"""PROD's worked numbers on early results (chapter 4): how far into a slide a prod comes, and what it covers."""

from __future__ import annotations

import pyarrow as pa
import pytest

import slackwater as sw


def counts(size: str, slide: str, aggressiveness: float) -> tuple[int, int]:
    """Return the early and the final count of the first whole window, with one row in each second."""
    rows = sw.stream(pa.table({"ts": list(range(1_500))}), event_time="ts", unit="s")
    early = sw.Early(aggressiveness=aggressiveness, estimate="raw")
    out = sw.aggregate(
        rows, size=size, slide=slide, values={"n": sw.count()}, contract=sw.FixedSlack("0 seconds"), early=early
    )
    end = {"12 minutes": 720, "120 seconds": 120}[size] * 1_000_000
    of_window = [row for row in out.results.to_pylist() if row["window"]["end"].timestamp() * 1e6 == end]
    return tuple(row["n"] for row in of_window)


@pytest.mark.parametrize(("aggressiveness", "seconds"), [(0.25, 90), (0.5, 60)])
def test_a_quarter_and_a_half_of_a_slide_of_120_s_are_shown_at_90_and_60_s(aggressiveness, seconds):
    brings_the_clock_there = 1
    assert (seconds + brings_the_clock_there, 120) == counts("120 seconds", "120 seconds", aggressiveness)


def test_half_a_slide_early_eleven_of_twelve_minutes_have_come():
    shown, final = counts("12 minutes", "2 minutes", 0.5)
    brings_the_clock_there = 1
    assert 11 / 12 == pytest.approx((shown - brings_the_clock_there) / final)
