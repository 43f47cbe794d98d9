"""Three hundred random plans, and whether the simulation would notice."""

from __future__ import annotations

import io
import itertools

import pytest
from rich.console import Console

import slackwater as sw
from slackwater.errors import ParameterError
from slackwater.spark import call as spark_call
from tests.simulation import command
from tests.simulation.calls import BrokenPromiseError
from tests.simulation.case import Case, Row
from tests.simulation.check import Done, check
from tests.simulation.plans import OPERATORS, random_case
from tests.simulation.shrink import shrunk

PLANS, PARTS = 300, 100
SMALL = Case("reorder", {"contract": "sw.NoSlack()"}, tuple(Row(0, i, 5 * i % 7) for i in range(20)), cuts=(3, 8))


@pytest.mark.parametrize("part", range(PARTS))
def test_random_plans_keep_their_promises(part):
    size, out = PLANS // PARTS, io.StringIO()
    summary = command.simulate(range(part * size, (part + 1) * size), console=Console(file=out), show=False)
    assert [] == summary.failures, out.getvalue()


@pytest.fixture
def loses_a_row(monkeypatch):
    whole = spark_call.released_table
    monkeypatch.setattr(spark_call, "released_table", lambda *given: whole(*given)[1:])


def test_every_operator_contract_and_way_to_check_is_among_them():
    summary = command.Summary()
    for seed in range(PLANS):
        summary.count(random_case(seed))
    assert {name.split(" of ")[0] for name in summary.operators} == set(OPERATORS)
    simple = {"NoSlack", "FixedSlack", "MaxSlack", "DropRatio", "Recall", "RelativeError", "Deadline", "Punctuated"}
    assert simple | {"Deadline & DropRatio", "Deadline & Recall"} == set(summary.contracts)
    assert len(sw.control.__all__) - 4 <= len(summary.controllers)


def test_windows_of_results_changed_contracts_and_rows_that_stop_the_run_are_among_them():
    cases = [random_case(seed) for seed in range(PLANS)]
    found = {
        "levels": sum("then" in case.options and not case.chained for case in cases),
        "chains": sum(case.chained for case in cases),
        "changes": sum(bool(case.changes) for case in cases),
        "raise": sum(case.option("late") == "raise" for case in cases),
    }
    assert 5 <= min(found.values()), found


def test_a_seed_is_the_same_case_for_ever():
    assert random_case(7) == random_case(7) != random_case(8)


def test_a_case_prints_as_the_code_that_makes_it():
    case = random_case(3)
    assert case == eval(repr(case))


def test_a_row_that_is_lost_is_found(loses_a_row):
    with pytest.raises(BrokenPromiseError, match=r"^(calls|lost|accounting)"):
        check(SMALL)


def test_a_failure_shrinks_to_a_few_rows(loses_a_row):
    small = shrunk(SMALL, seconds=20)
    assert (1, (), ()) == (len(small.rows), small.cuts, small.replays)


def test_a_failure_is_a_line_that_says_how_to_see_it_again(loses_a_row):
    out = io.StringIO()
    console = Console(file=out, width=80)
    assert 1 <= len(command.simulate(range(20), console=console, show=False).failures)
    lines = out.getvalue().splitlines()
    assert all("; replay: slackwater simulate --seed " in line for line in lines)


def test_a_replay_of_a_failure_prints_a_program(loses_a_row, monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(command, "random_case", lambda seed: SMALL)
    assert not command.replay(0, console=Console(file=out, width=200))
    program = out.getvalue().partition("shrinking ...")[2]
    with pytest.raises(BrokenPromiseError):
        exec(program, {})


def test_a_replay_that_finds_nothing_says_so(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(command, "random_case", lambda seed: SMALL)
    assert command.replay(0, console=Console(file=out, width=200))
    assert out.getvalue().startswith("seed 0 passed: ")


def is_refused(case: Case) -> bool:
    try:
        case.plan(case.tables())
    except ParameterError:
        return True
    return False


def test_few_plans_are_refused():
    assert sum(is_refused(random_case(seed)) for seed in range(PLANS)) <= command.MOST_REFUSED * PLANS


@pytest.mark.parametrize(("every", "seeds", "code"), [(1, 100, 1), (9, 100, 1), (10, 100, 0), (1, 99, 0)])
def test_a_run_in_which_too_many_plans_are_refused_fails(every, seeds, code, monkeypatch, capsys):
    answers = itertools.cycle([Done(refused="size must be > 0, got 0"), *[Done()] * (every - 1)])
    monkeypatch.setattr(command, "check", lambda case: next(answers))
    assert code == command.main(seeds=seeds)
    assert bool(code) == ("plans were refused, more than 10 %" in capsys.readouterr().out)
