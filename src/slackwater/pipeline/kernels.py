"""From an expression over numbers of two streams to a compiled function of two rows, bit for bit what DuckDB says.

What DuckDB computes in decimals, or refuses for some values, or cannot be proven to fit 64 bits, is left to DuckDB.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlglot import exp

from slackwater.compiled import compiled_source

_LARGEST = 2**63 - 1
_EXACT = 2**53  # integers up to here are floats without loss
_DIGITS = 15  # a decimal of so many digits is the nearest float, and no other decimal of so many digits is


class NotNumeric(Exception):  # noqa: N818 - not an error: another way is taken
    """An expression cannot be compiled so that it is sure to give DuckDB's answer."""


@dataclass(frozen=True, slots=True)
class Term:
    """Source code of a value: int, float, bool, or decimal (a literal). The range is known of integers only."""

    code: str
    kind: str
    low: int = 0
    high: int = 0

    @property
    def as_float(self) -> str:
        """The code, as a float."""
        return self.code if self.kind in ("float", "decimal") else f"float({self.code})"


def kernel_source(tree: exp.Expr, columns: Mapping[str, Term]) -> str:
    """Return the source of `kernel(left, i, right, j)`; `columns` says what c0, c1, ... are.

    Raises:
        NotNumeric: this expression must be left to DuckDB.
    """
    term = _term(tree, columns)
    _need(term.kind == "bool")
    return f"def kernel(left, i, right, j):\n    return {term.code}\n"


@lru_cache(maxsize=256)
def kernel_of(source: str) -> Callable[..., bool]:
    """Compile a kernel; the same source gives the same kernel."""
    scope: dict[str, Any] = dict(_HELPERS)
    exec(source, scope)
    kernel: Callable[..., bool] = compiled_source(scope["kernel"])
    return kernel


def rejecting(tree: exp.Expr) -> frozenset[str]:
    """Return the columns whose null keeps an expression from being true.

    >>> from slackwater.plan.expressions import parsed
    >>> sorted(rejecting(parsed("c0 > c1 AND (c2 > 0 OR c2 + c3 < 0)")))
    ['c0', 'c1', 'c2']
    """
    if isinstance(tree, exp.Paren):
        return rejecting(tree.this)
    if isinstance(tree, exp.And):
        return rejecting(tree.left) | rejecting(tree.right)
    if isinstance(tree, exp.Or):
        return rejecting(tree.left) & rejecting(tree.right)
    if isinstance(tree, exp.Not):
        return _nulled_by(tree.this) if isinstance(tree.this.unnest(), tuple(_COMPARISONS)) else frozenset()
    return _nulled_by(tree)


def _nulled_by(tree: exp.Expr) -> frozenset[str]:
    """Return the columns whose null makes a comparison or a number null."""
    if isinstance(tree, exp.Column):
        return frozenset({tree.name})
    parts = [_nulled_by(child) for child in tree.iter_expressions()]
    if isinstance(tree, exp.Least | exp.Greatest):  # these skip nulls
        return frozenset.intersection(*parts)
    return frozenset().union(*parts)


def _term(tree: exp.Expr, columns: Mapping[str, Term]) -> Term:
    build = _BUILDERS.get(type(tree))
    _need(build is not None)
    if isinstance(tree, exp.Column):
        return columns[tree.name]
    if isinstance(tree, exp.Literal | exp.Boolean):
        return build(tree)  # type: ignore[misc]
    _need(not tree.args.get("symmetric"))
    if isinstance(tree, exp.Cast):
        _need(tree.to.is_type(exp.DataType.Type.DOUBLE))
        return build(_term(tree.this, columns))  # type: ignore[misc]
    return build(*(_term(child, columns) for child in tree.iter_expressions()))  # type: ignore[misc]


def _need(true: bool) -> None:
    if not true:
        raise NotNumeric


def _literal(tree: exp.Literal) -> Term:
    text = str(tree.this).lower()
    _need(not tree.is_string)
    if "e" in text:
        _need(math.isfinite(float(text)))
        return Term(repr(float(text)), "float")
    if "." in text:
        _need(len(text.replace(".", "").lstrip("0")) <= _DIGITS and len(text) <= _DIGITS + 5)
        return Term(repr(float(text)), "decimal")
    return integer_term(text, int(text), int(text))


def integer_term(code: str, low: int, high: int) -> Term:
    """Return an integer within a range, which must fit 64 bits even if its sign is changed."""
    _need(low >= -_LARGEST and high <= _LARGEST)
    return Term(code, "int", low, high)


def _negative(term: Term) -> Term:
    if term.kind == "int":
        return integer_term(f"(-{term.code})", -term.high, -term.low)
    _need(term.kind != "bool")
    return Term(f"(-{term.code})", term.kind)


def _arithmetic(sign: str, apply: Callable[[int, int], int]) -> Callable[[Term, Term], Term]:
    def build(left: Term, right: Term) -> Term:
        if left.kind == right.kind == "int":
            ends = [apply(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
            return integer_term(f"({left.code} {sign} {right.code})", min(ends), max(ends))
        _need("float" in (left.kind, right.kind))
        return Term(f"({_float(left)} {sign} {_float(right)})", "float")

    return build


def _quotient(left: Term, right: Term) -> Term:
    return Term(f"({_float(left)} / {_float(right)})", "float")


def _whole(name: str) -> Callable[[Term, Term], Term]:
    def build(left: Term, right: Term) -> Term:
        _need(left.kind == right.kind == "int" and not right.low <= 0 <= right.high)
        most = max(abs(left.low), abs(left.high))
        return integer_term(f"{name}({left.code}, {right.code})", -most, most)

    return build


def _absolute(term: Term) -> Term:
    _need(term.kind in ("int", "float"))
    if term.kind == "float":
        return Term(f"abs({term.code})", "float")
    return integer_term(f"abs({term.code})", 0, max(abs(term.low), abs(term.high)))


def _extreme(name: str) -> Callable[..., Term]:
    def build(*terms: Term) -> Term:
        kind, codes = _common(terms)
        _need("decimal" not in [term.kind for term in terms] or "float" in [term.kind for term in terms])
        code = codes[0]
        for other in codes[1:]:
            code = f"{name}({code}, {other})"
        return Term(code, kind, min(term.low for term in terms), max(term.high for term in terms))

    return build


def _comparison(sign: str, of_floats: str) -> Callable[[Term, Term], Term]:
    def build(left: Term, right: Term) -> Term:
        kind, (a, b) = _common((left, right))
        return Term(f"({a} {sign} {b})" if kind == "int" else of_floats.format(a, b), "bool")

    return build


def _between(value: Term, low: Term, high: Term) -> Term:
    kind, (x, a, b) = _common((value, low, high))
    return Term(f"({a} <= {x} <= {b})" if kind == "int" else f"(at_least({x}, {a}) and at_least({b}, {x}))", "bool")


def _connected(word: str) -> Callable[[Term, Term], Term]:
    def build(left: Term, right: Term) -> Term:
        _need(left.kind == right.kind == "bool")
        return Term(f"({left.code} {word} {right.code})", "bool")

    return build


def _inverse(term: Term) -> Term:
    _need(term.kind == "bool")
    return Term(f"(not {term.code})", "bool")


def _float(term: Term) -> str:
    _need(term.kind != "bool")
    return term.as_float


def _common(terms: Sequence[Term]) -> tuple[str, list[str]]:
    """Return what numbers are compared as. Integers and decimals are compared exactly: small ones as floats."""
    kinds = {term.kind for term in terms}
    if kinds == {"int"}:
        return "int", [term.code for term in terms]
    _need("bool" not in kinds and kinds != {"decimal"})
    exact = all(term.low >= -_EXACT and term.high <= _EXACT for term in terms)
    _need("float" in kinds or exact)
    return "float", [term.as_float for term in terms]


# DuckDB's order of floats: NaN equals itself and is greater than all others.
@compiled_source
def _equal(a: float, b: float) -> bool:
    return a == b or (a != a and b != b)


@compiled_source
def _greater(a: float, b: float) -> bool:
    return a > b or (a != a and b == b)


@compiled_source
def _at_least(a: float, b: float) -> bool:
    return a >= b or a != a


@compiled_source
def _least(a: Any, b: Any) -> Any:
    return b if a > b or (a != a and b == b) else a


@compiled_source
def _greatest(a: Any, b: Any) -> Any:
    return b if b > a or (b != b and a == a) else a


@compiled_source
def _divide(a: int, b: int) -> int:
    """Divide toward zero, as SQL does."""
    size = abs(a) // abs(b)
    return size if (a < 0) == (b < 0) else -size


@compiled_source
def _remainder(a: int, b: int) -> int:
    size = abs(a) % abs(b)
    return -size if a < 0 else size


_HELPERS: dict[str, Any] = {
    "equal": _equal,
    "greater": _greater,
    "at_least": _at_least,
    "least": _least,
    "greatest": _greatest,
    "divide": _divide,
    "remainder": _remainder,
    "sqrt": math.sqrt,
}

_COMPARISONS: dict[type[exp.Expr], Callable[..., Term]] = {
    exp.EQ: _comparison("==", "equal({0}, {1})"),
    exp.NEQ: _comparison("!=", "(not equal({0}, {1}))"),
    exp.GT: _comparison(">", "greater({0}, {1})"),
    exp.GTE: _comparison(">=", "at_least({0}, {1})"),
    exp.LT: _comparison("<", "greater({1}, {0})"),
    exp.LTE: _comparison("<=", "at_least({1}, {0})"),
}

_BUILDERS: dict[type[exp.Expr], Callable[..., Term]] = {
    **_COMPARISONS,
    exp.Column: lambda term: term,
    exp.Literal: _literal,
    exp.Boolean: lambda tree: Term(str(bool(tree.this)), "bool"),
    exp.Paren: lambda term: term,
    exp.Cast: lambda term: Term(_float(term), "float"),
    exp.Neg: _negative,
    exp.Add: _arithmetic("+", operator.add),
    exp.Sub: _arithmetic("-", operator.sub),
    exp.Mul: _arithmetic("*", operator.mul),
    exp.Div: _quotient,
    exp.IntDiv: _whole("divide"),
    exp.Mod: _whole("remainder"),
    exp.Abs: _absolute,
    exp.Sqrt: lambda term: Term(f"sqrt({_float(term)})", "float"),
    exp.Least: _extreme("least"),
    exp.Greatest: _extreme("greatest"),
    exp.Between: _between,
    exp.And: _connected("and"),
    exp.Or: _connected("or"),
    exp.Not: _inverse,
}
