"""What counts as a mutant, and that a change takes effect."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

import slackwater
from slackwater.core import sketches
from tests.mutation.__main__ import summary
from tests.mutation.chosen import chosen, users_of
from tests.mutation.mutants import Mutant, mutants_of, mutated
from tests.mutation.patched import patch
from tests.mutation.reached import digest, noted
from tests.mutation.reviewed import Reviewed

ROOT = Path(slackwater.__file__).parent

CHANGES = {
    "a < b": ["a <= b"],
    "a is None": ["a is not None"],
    "a + 2": ["a - 2", "a + 3"],
    "not a": ["a"],
    "-a": ["a"],
    "a and b": ["a or b"],
    "min(a, b)": ["max(a, b)"],
    "f(a, side='left')": ["f(a, side='right')"],
    "True": ["False"],
    "'text'": [],
    "f(a)": [],
}


def changes(source: str, tmp_path) -> list[str]:
    (tmp_path / "m.py").write_text(source)
    return [ast.unparse(mutated(source, mutant.number)) for mutant in mutants_of(tmp_path, "m.py")]


@pytest.mark.parametrize("expression", CHANGES)
def test_an_expression_has_the_changes_that_we_know(expression, tmp_path):
    source = "def f(a, b):\n    return {}"
    found = changes(source.format(expression), tmp_path)
    assert [source.format(each) for each in CHANGES[expression]] == found


@pytest.mark.parametrize(
    "source", ["def f(a: int = None) -> list[1]:\n    pass", "@cache(1)\ndef f():\n    assert 1 < 2"]
)
def test_types_decorators_and_assertions_are_left_alone(source, tmp_path):
    assert [] == changes(source, tmp_path)


def test_a_call_whose_result_nobody_wants_is_left_out(tmp_path):
    assert ["def f(a):\n    pass"] == changes("def f(a):\n    a.update()", tmp_path)


def test_a_mutant_knows_the_function_that_it_is_in(tmp_path):
    (tmp_path / "m.py").write_text(
        "X = 1\nclass A:\n    def f(self):\n        def g():\n            return 2\n        return g"
    )
    assert ["", "A.f"] == [mutant.function for mutant in mutants_of(tmp_path, "m.py")]


def test_a_default_belongs_to_where_its_function_is_defined(tmp_path):
    (tmp_path / "m.py").write_text("class A:\n    def f(self, x=1):\n        return 2")
    assert ["A", "A.f"] == [mutant.function for mutant in mutants_of(tmp_path, "m.py")]


def test_reviewed_lines_are_there_and_say_why_they_may_be_changed():
    reviewed = Reviewed(ROOT)
    assert [] == reviewed.gone()
    assert all(each["why"] for each in reviewed.entries)


def test_every_reviewed_change_is_a_mutant():
    reviewed = Reviewed(ROOT)
    for each in reviewed.entries:
        rows = map(asdict, mutants_of(ROOT, each["file"]))
        assert each["why"] in map(reviewed.why, rows), each


def test_the_score_is_told_with_and_without_equivalent_mutants(tmp_path):
    (tmp_path / "m.py").write_text("x = 1\n")
    listed, output = tmp_path / "reviewed.json", tmp_path / "mutants.jsonl"
    listed.write_text(json.dumps([{"file": "m.py", "text": "x = 1", "change": "1 -> 2", "why": "nobody asks"}]))
    outcomes = [("killed", 0, "a"), ("timeout", 0, "b"), ("survived", 0, "c"), ("survived", 1, "1 -> 2")]
    rows = [
        {"file": "m.py", "number": number, "line": line, "change": change, "outcome": outcome}
        for number, (outcome, line, change) in enumerate(outcomes)
    ]
    output.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = summary(output, Reviewed(tmp_path, listed)).splitlines()
    assert "survived  m.py:1 1 -> 2  [equivalent: nobody asks]" == told[1]
    assert told[-2].startswith("of all mutants: 2 of 4 noticed, 50.0%")
    assert told[-1].startswith("of those that are not equivalent: 2 of 3 noticed, 66.7%")


def test_a_kernel_that_is_loaded_already_can_be_changed():
    kernel, unchanged = sketches._sigma.py_func, sketches._sigma.py_func.__code__
    mutant = next(each for each in mutants_of(ROOT, "core/sketches.py") if each.function == "_sigma")
    try:
        assert patch(mutant, ROOT)
        assert unchanged != kernel.__code__
    finally:
        kernel.__code__ = unchanged


def test_what_is_noted_of_a_test_holds_as_long_as_its_file_is_the_same(tmp_path):
    same, changed = tmp_path / "test_same.py", tmp_path / "test_changed.py"
    same.write_text("1")
    changed.write_text("2")
    rows = [{"test": f"{file}::test", "digest": digest(str(file)), "functions": []} for file in (same, changed)]
    (tmp_path / "reached.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    changed.write_text("3")
    digest.cache_clear()
    assert [f"{same}::test"] == list(noted(tmp_path / "reached.jsonl"))


def test_tests_of_the_module_come_first_then_the_quickest_as_many_as_fit():
    names = ["tests/core/test_b.py::slow", "tests/core/test_b.py::quick", "tests/core/test_a.py::own"]
    tests = {
        name: {"seconds": seconds, "functions": ["core/a.py:f"]}
        for name, seconds in zip(names, (9.0, 1.0, 4.0), strict=True)
    }
    tests["tests/core/test_a.py::elsewhere"] = {"seconds": 0.0, "functions": ["core/a.py:g"]}
    assert ([names[2], names[1]], 5.0) == chosen(Mutant("core/a.py", 0, 1, "f", ""), tests, 10.0)


def test_of_changes_that_read_the_same_the_one_that_was_reviewed_is_meant(tmp_path):
    (tmp_path / "m.py").write_text("x = a[1] + 1\n")
    listed = tmp_path / "reviewed.json"
    listed.write_text(
        json.dumps([{"file": "m.py", "text": "x = a[1] + 1", "change": "1 -> 2", "nth": 1, "why": "room"}])
    )
    rows = [asdict(each) for each in mutants_of(tmp_path, "m.py") if each.change == "1 -> 2"]
    assert [None, "room"] == [Reviewed(tmp_path, listed).why(row) for row in rows]


def test_a_constant_is_tried_against_the_tests_of_all_who_import_it():
    tests = {
        "tests/core/test_b.py::of": {"seconds": 1.0, "functions": ["core/b.py:f"]},
        "tests/core/test_c.py::of": {"seconds": 1.0, "functions": ["core/c.py:g"]},
    }
    constant = Mutant("core/a.py", 0, 1, "", "1 -> 2")
    assert (["tests/core/test_b.py::of"], 1.0) == chosen(constant, tests, 10.0, ["core/b.py"])


def test_users_of_a_file_are_those_that_import_from_it(tmp_path):
    root = tmp_path / "package"
    (root / "core").mkdir(parents=True)
    (root / "core" / "a.py").write_text("X = 1\n")
    (root / "core" / "b.py").write_text("from package.core.a import X\n")
    (root / "core" / "c.py").write_text("from package.core.ab import X\n")
    assert ["core/b.py"] == users_of(root, "core/a.py")


TRIED = """
from pathlib import Path
from tests.mutation.mutants import mutants_of
from tests.mutation.trial import outcome_of
root = Path("src/slackwater").resolve()
constant = next(each for each in mutants_of(root, "core/sample.py") if each.function == "SampleState")
examples = ["src/slackwater/core/sample.py::slackwater.core.sample.Sampler"]
print(outcome_of(constant, root, examples, 9.0, anew=True).what)
"""


def test_a_changed_constant_is_what_the_examples_of_its_module_run():
    """Pytest loads a module whose examples it is asked for by itself, past any finder that was there before."""
    top = Path(__file__).parents[2]
    where = {**os.environ, "PYTHONPATH": f"{top / 'src'}:{top}", "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", TRIED], cwd=top, env=where, capture_output=True, text=True, check=True)
    assert "killed" == done.stdout.split()[-1]
