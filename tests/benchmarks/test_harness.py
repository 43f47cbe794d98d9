"""How often and in which order a benchmark runs what it compares, and what fails it."""

from __future__ import annotations

import json
from itertools import count

import pytest
from benchmarks.harness import Case, run_case
from rich.console import Console

from benchmarks import growing_file, harness

QUIET = Console(quiet=True)


@pytest.fixture
def called():
    return []


@pytest.fixture
def case(called):
    def made(*, ours=1.0, **more):
        def noting(name, value):
            called.append(name)
            return value

        return Case("case", lambda: noting("ours", ours), lambda: noting("rival", 2.0), 1.0, "rival", **more)

    return made


def test_both_are_run_once_before_they_count_and_take_turns_in_who_begins(case, called):
    assert [1.0, 1.0] == run_case(case(), 2, QUIET)["ours"]
    assert ["ours", "rival", "ours", "rival", "rival", "ours"] == called


def test_what_is_warm_counts_at_once(case, called):
    run_case(case(is_warm=True), 1, QUIET)
    assert ["ours", "rival"] == called


def test_a_case_has_no_more_turns_than_it_wants(case):
    assert 1 == len(run_case(case(turns=1), 5, QUIET)["ours"])


def test_a_case_that_took_long_has_no_further_turn(case, monkeypatch):
    seconds = count(step=20)  # it looks before each turn, and when each run starts
    monkeypatch.setattr(harness.time, "perf_counter", lambda: float(next(seconds)))
    assert 2 == len(run_case(case(), 5, QUIET)["ours"])


@pytest.mark.parametrize(("name", "quick", "status"), [("all", False, 1), ("all", True, 0), ("guard", True, 1)])
def test_a_limit_of_the_full_size_fails_no_quick_run_but_that_of_the_guard_does(
    case, monkeypatch, tmp_path, name, quick, status
):
    monkeypatch.setattr(growing_file, "RESULTS", tmp_path)
    monkeypatch.setattr(harness, "NAMES", {name: ("part",)})
    monkeypatch.setattr(harness, "_cases", lambda *_: iter([case(ours=3.0)]))
    assert status == harness.main(name, quick=quick, repeat=1)
    (written,) = tmp_path.iterdir()
    assert 1.5 == json.loads(written.read_text())["median"]


def test_a_part_that_fails_does_not_end_the_others(case, monkeypatch, tmp_path):
    def cases(part, *_):
        yield case() if part == "good" else 1 / 0

    monkeypatch.setattr(growing_file, "RESULTS", tmp_path)
    monkeypatch.setattr(harness, "NAMES", {"all": ("bad", "good")})
    monkeypatch.setattr(harness, "_cases", cases)
    assert 1 == harness.main("all", repeat=1)
    assert 1 == len(list(tmp_path.iterdir()))
