"""Which conditions keep two columns near each other: partners are then looked for in nearby cells only.

A *band* says that two numbers of different streams differ by at most so much in every result. It follows from parts of
a condition such as `abs(a.x - b.x) < 5`, `a.x between b.x - 5 and b.x + 5` or `dist(a.x, a.y, b.x, b.y) < 5`, which
gives one on each coordinate. A band is implied, never exact: the condition is still checked, so a band may be wider
than what it follows from, but must leave out no pair for which floats, rounded as they are, say true.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from slackwater.plan.conjuncts import Band, ColumnOf, Conjunct
from slackwater.plan.expressions import parsed

_SCALES = (1e-9, 1e9)  # of a column: beyond, values may overflow or vanish on the way
_HALVES = (1e-100, 1e100)  # of a band, for the same reason; a narrower one is widened
_STEADY = 2.0**36  # constants may be so many times as large as the band: rounding them must not matter


def bands_of(residuals: Sequence[Conjunct]) -> tuple[Band, ...]:
    """Return the bands that follow from these parts together, in order of appearance.

    >>> near = Conjunct((0, 1), (ColumnOf(0, "x"), ColumnOf(1, "x")), "", "ABS(c0 - c1) < 5")
    >>> bands_of([near])[0].half
    5.0
    """
    found: dict[_Pair, _Range] = {}
    for part, conjunct in enumerate(residuals):
        if len(conjunct.streams) == 2:
            for bound in _bounds(parsed(conjunct.expression), conjunct):
                found[bound.pair] = found.get(bound.pair, _Range()).narrowed(bound, part)
    bands = (_band(pair, found[pair]) for pair in found)
    return tuple(band for band in bands if band is not None)


@dataclass(frozen=True, slots=True)
class _Pair:
    """The difference of two columns: left - ratio * right."""

    left: ColumnOf
    right: ColumnOf
    ratio: float


@dataclass(frozen=True, slots=True)
class _Bound:
    """One side's bound of a difference, and what it says of NaN, which is greater than every number."""

    pair: _Pair
    low: float
    high: float
    size: float  # of the largest constant on the way
    refuses: frozenset[int]  # streams whose NaN, with a number of the other, makes it false
    refuses_both: bool  # whether NaN in both makes it false


@dataclass(frozen=True, slots=True)
class _Range:
    """All bounds of a difference together."""

    low: float = -math.inf
    high: float = math.inf
    size: float = 0.0
    refuses: frozenset[int] = frozenset()
    refuses_both: bool = False
    parts: tuple[int, ...] = ()

    def narrowed(self, bound: _Bound, part: int) -> _Range:
        return _Range(
            max(self.low, bound.low),
            min(self.high, bound.high),
            max(self.size, bound.size),
            self.refuses | bound.refuses,
            self.refuses_both or bound.refuses_both,
            tuple(dict.fromkeys((*self.parts, part))),
        )


def _band(pair: _Pair, limits: _Range) -> Band | None:
    """Return the band of a difference with two bounds; None if one is missing, or NaN would pair with numbers."""
    half = (limits.high - limits.low) / 2
    if not 0 < half < _HALVES[1] or limits.size > _STEADY * half:
        return None
    if limits.refuses != {pair.left.stream, pair.right.stream}:
        return None
    return Band(
        columns=(pair.left, pair.right),
        ratio=pair.ratio,
        center=(limits.high + limits.low) / 2,
        half=max(half, _HALVES[0]),
        nan_meets_nan=not limits.refuses_both,
        parts=limits.parts,
    )


@dataclass(frozen=True, slots=True)
class _Line:
    """A sum of columns, each times a number, and a constant; every column occurs once."""

    scales: Mapping[str, float] = field(default_factory=dict)
    constant: float = 0.0
    size: float = 0.0  # of the largest constant on the way: what it rounds away stays away

    def times(self, number: float) -> _Line | None:
        scales = {name: scale * number for name, scale in self.scales.items()}
        if not all(_SCALES[0] <= abs(scale) <= _SCALES[1] for scale in scales.values()):
            return None
        return _Line(scales, self.constant * number, self.size * abs(number))

    def plus(self, other: _Line) -> _Line | None:
        if self.scales.keys() & other.scales.keys():
            return None
        constant = self.constant + other.constant
        return _Line({**self.scales, **other.scales}, constant, max(self.size, other.size, abs(constant)))


def _line(tree: exp.Expr) -> _Line | None:
    """Return an expression as a line, if it is one."""
    tree = _bare(tree)
    if isinstance(tree, exp.Column):
        return None if tree.table else _Line({tree.name: 1.0})
    if isinstance(tree, exp.Literal) and not tree.is_string:
        number = float(tree.this)
        return _Line({}, number, abs(number))
    if isinstance(tree, exp.Neg):
        inner = _line(tree.this)
        return None if inner is None else inner.times(-1)
    if isinstance(tree, exp.Add | exp.Sub | exp.Mul | exp.Div):
        left, right = _line(tree.left), _line(tree.right)
        return None if left is None or right is None else _combined(tree, left, right)
    return None


def _combined(tree: exp.Expr, left: _Line, right: _Line) -> _Line | None:
    if isinstance(tree, exp.Add):
        return left.plus(right)
    if isinstance(tree, exp.Sub):
        negative = right.times(-1)
        return None if negative is None else left.plus(negative)
    if isinstance(tree, exp.Mul) and not left.scales:
        left, right = right, left
    if right.scales or (isinstance(tree, exp.Div) and right.constant == 0):
        return None
    return left.times(right.constant if isinstance(tree, exp.Mul) else 1 / right.constant)


def _bare(tree: exp.Expr) -> exp.Expr:
    """Leave out parentheses and casts to 64-bit floats: these round by no more than the arithmetic does."""
    while isinstance(tree, exp.Paren) or (isinstance(tree, exp.Cast) and tree.to.is_type(exp.DataType.Type.DOUBLE)):
        tree = tree.this
    return tree


def _bounds(tree: exp.Expr, conjunct: Conjunct) -> Iterator[_Bound]:
    """Yield the bounds that follow from a comparison."""
    tree = tree.unnest()
    if isinstance(tree, exp.Between) and not tree.args.get("symmetric"):
        yield from _ordered(tree.args["low"], tree.this, conjunct)
        yield from _ordered(tree.this, tree.args["high"], conjunct)
    elif isinstance(tree, exp.LT | exp.LTE):
        yield from _ordered(tree.left, tree.right, conjunct)
    elif isinstance(tree, exp.GT | exp.GTE):
        yield from _ordered(tree.right, tree.left, conjunct)


def _ordered(less: exp.Expr, more: exp.Expr, conjunct: Conjunct) -> Iterator[_Bound]:
    """Yield what follows from less <= more."""
    low, high = _line(less), _line(more)
    if high is not None and not high.scales:
        yield from _at_most(less, high.constant, conjunct)
    elif low is not None and high is not None and not low.scales:
        yield from _difference(high, conjunct, low=low.constant)
    elif low is not None and high is not None and len(low.scales) == len(high.scales) == 1:
        negative = high.times(-1)
        whole = None if negative is None else low.plus(negative)
        if whole is not None:
            refused = frozenset(_column(name, conjunct).stream for name in low.scales)
            yield from _difference(whole, conjunct, high=0.0, refuses=refused)


def _at_most(tree: exp.Expr, most: float, conjunct: Conjunct) -> Iterator[_Bound]:
    """Yield what follows from an expression that is at most a number; NaN is not."""
    tree = _bare(tree)
    line = _line(tree)
    if line is not None:
        yield from _rejecting(line, conjunct, high=most)
    elif isinstance(tree, exp.Abs):
        yield from _within(tree.this, most, conjunct)
    elif isinstance(tree, exp.Sqrt) and most >= 0:
        yield from _at_most(tree.this, most * most, conjunct)
    elif isinstance(tree, exp.Mul) and most >= 0:
        yield from _product_at_most(tree, most, conjunct)
    elif isinstance(tree, exp.Greatest) or (isinstance(tree, exp.Add) and _nonnegative(tree)):
        for part in tree.iter_expressions():
            yield from _at_most(part, most, conjunct)


def _product_at_most(tree: exp.Mul, most: float, conjunct: Conjunct) -> Iterator[_Bound]:
    if _bare(tree.left) == _bare(tree.right):
        yield from _within(tree.left, math.sqrt(most), conjunct)
        return
    for factor, other in ((tree.left, tree.right), (tree.right, tree.left)):
        line = _line(factor)
        if line is not None and not line.scales and _SCALES[0] <= line.constant <= _SCALES[1]:
            yield from _at_most(other, most / line.constant, conjunct)


def _within(tree: exp.Expr, most: float, conjunct: Conjunct) -> Iterator[_Bound]:
    line = _line(tree)
    if line is not None and most >= 0:
        yield from _rejecting(line, conjunct, low=-most, high=most)


def _nonnegative(tree: exp.Expr) -> bool:
    tree = _bare(tree)
    if isinstance(tree, exp.Add):
        return _nonnegative(tree.left) and _nonnegative(tree.right)
    if isinstance(tree, exp.Mul):
        same = _bare(tree.left) == _bare(tree.right)
        return same or (_nonnegative(tree.left) and _nonnegative(tree.right))
    return isinstance(tree, exp.Abs | exp.Sqrt) or (isinstance(tree, exp.Literal) and not tree.is_string)


def _rejecting(line: _Line, conjunct: Conjunct, *, low: float = -math.inf, high: float) -> Iterator[_Bound]:
    """Yield a bound that no NaN satisfies, since it is greater than every number."""
    for bound in _difference(line, conjunct, low=low, high=high, refuses=frozenset(conjunct.streams)):
        yield replace(bound, refuses_both=True)


def _difference(
    line: _Line,
    conjunct: Conjunct,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    refuses: frozenset[int] = frozenset(),
) -> Iterator[_Bound]:
    """Yield low <= line <= high as bounds of left - ratio * right, if the line has one column of each stream."""
    names = sorted(line.scales, key=lambda name: _column(name, conjunct).stream)
    columns = [_column(name, conjunct) for name in names]
    if [column.stream for column in columns] != list(conjunct.streams):
        return
    scale, other = (line.scales[name] for name in names)
    ends = sorted(((low - line.constant) / scale, (high - line.constant) / scale))
    sizes = [abs(each) for each in (low, high) if math.isfinite(each)]
    size = max(line.size, *sizes) / abs(scale)
    ratio = -other / scale
    if _SCALES[0] <= abs(ratio) <= _SCALES[1]:
        yield _Bound(_Pair(columns[0], columns[1], ratio), ends[0], ends[1], size, refuses, refuses_both=False)


def _column(name: str, conjunct: Conjunct) -> ColumnOf:
    return conjunct.columns[int(name[1:])]
