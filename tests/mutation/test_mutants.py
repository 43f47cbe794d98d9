"""What counts as a mutant, and that a change takes effect."""

from __future__ import annotations

import ast

import pytest

from tests.mutation.mutants import mutants_of, mutated

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
