"""Pinned versions against advisories that are at hand: what is said is what was compared, and of when it is."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

MAIN = runpy.run_path(str(Path(__file__).parents[1] / "scripts" / "advisories.py"))["main"]


@pytest.fixture
def compared(tmp_path, capsys):
    """What is said of two pinned versions, and the exit code, where advisories are about some versions of one."""

    def compare(**more):
        affected = [{"package": {"name": "Un.Safe"}, "versions": ["1.0"], **more.pop("affected", {})}]
        advisory = {"id": "PYSEC-2024-1", "modified": "2024-05-06T07:08:09Z", "affected": affected, **more}
        (tmp_path / "PYSEC-2024-1.yaml").write_text(json.dumps(advisory))
        (tmp_path / "pinned.txt").write_text("# pinned\nun_safe==2.1\nsafe==1.0\n")
        return MAIN(tmp_path / "pinned.txt", tmp_path), capsys.readouterr().out

    return compare


def ranges(*events):
    return {"ranges": [{"type": "ECOSYSTEM", "events": list(events)}]}


def test_a_version_within_a_range_is_named_and_fails(compared):
    code, said = compared(affected=ranges({"introduced": "2.0"}, {"fixed": "2.2"}))
    assert 1 == code
    assert "un-safe 2.1: PYSEC-2024-1" in said


@pytest.mark.parametrize("more", [{}, {"affected": ranges({"introduced": "0"}, {"fixed": "2.1"})}])
def test_other_versions_pass_and_the_newest_advisory_is_dated(compared, more):
    code, said = compared(**more)
    assert 0 == code
    assert "1 advisories, the newest of 2024-05-06, AND NONE LATER; 1 are about these packages, 0 about" in said


def test_what_cannot_be_read_counts(compared):
    assert 1 == compared(affected=ranges({"introduced": "0"}, {"fixed": "one day"}))[0]


def test_what_was_taken_back_does_not_count_and_no_advisories_are_no_comparison(compared):
    code, said = compared(affected=ranges({"introduced": "0"}), withdrawn="2024-05-07T00:00:00Z")
    assert 1 == code
    assert "0 advisories, the newest of never" in said
