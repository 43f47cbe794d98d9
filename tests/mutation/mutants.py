"""Small wrong changes of a source text, one at a time: what a test suite ought to notice."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

SWAPPED = {
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn),
    (ast.Add, ast.Sub),
    (ast.And, ast.Or),
    (ast.BitAnd, ast.BitOr),
    (ast.LShift, ast.RShift),
    (ast.Mult, ast.FloorDiv),
}
OTHER = {one: other for pair in SWAPPED for one, other in (pair, pair[::-1])}
OTHER |= {ast.Div: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult}
_NAMES = {"min": "max", "minimum": "maximum", "any": "all", "left": "right"}
NAMES = _NAMES | {other: one for one, other in _NAMES.items()}


@dataclass(frozen=True, slots=True)
class Mutant:
    """The place of a change and what it is."""

    file: str  # relative to the package
    number: int  # which change of the file
    line: int
    function: str  # where it is, as `__qualname__` says; nothing: at the level of the module or of a class
    change: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.change}"


@dataclass(frozen=True, slots=True)
class _Point:
    node: ast.AST
    function: str
    change: str
    apply: Callable[[], None]


def mutants_of(root: Path, file: str) -> list[Mutant]:
    """Return all changes of a file that we know."""
    points = _points(ast.parse((root / file).read_text()))
    return [Mutant(file, n, getattr(p.node, "lineno", 0), p.function, p.change) for n, p in enumerate(points)]


def mutated(source: str, number: int) -> ast.Module:
    r"""Return the tree of a text with one change.

    >>> ast.unparse(mutated("def f(a, b):\n    return a < b", 0))
    'def f(a, b):\n    return a <= b'
    """
    tree = ast.parse(source)
    _points(tree)[number].apply()
    return ast.fix_missing_locations(tree)


def _points(tree: ast.Module) -> list[_Point]:
    return list(_within(tree, "", inside=False))


def _within(node: ast.AST, function: str, *, inside: bool) -> Iterator[_Point]:
    for name, child, put in _children(node):
        if _is_left_out(node, name, child):
            continue
        place = function.rpartition(".")[0] if _is_default(node, name, function) else function
        yield from (_Point(child, place, change, _then(put, new)) for change, new in _changes(child))
        own, within = _qualified(place, child, inside=inside)
        yield from _within(child, own, inside=within)


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST, Callable[[ast.AST], None]]]:
    """Return each part of a node, the field that it is in, and what puts another there."""
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            yield name, value, lambda new, name=name: setattr(node, name, new)  # type: ignore[misc]
        elif isinstance(value, list):
            for place, each in enumerate(value):
                if isinstance(each, ast.AST):
                    yield name, each, lambda new, value=value, place=place: value.__setitem__(place, new)  # type: ignore[misc]


def _then(put: Callable[[ast.AST], None], new: ast.AST) -> Callable[[], None]:
    return lambda: put(new)


def _is_left_out(node: ast.AST, field: str, child: ast.AST) -> bool:
    """Whether nothing that runs depends on it: types, decorators, and checks that only say what cannot be."""
    if field in ("annotation", "returns", "decorator_list", "type_params") or isinstance(child, ast.Assert):
        return True
    if isinstance(child, ast.keyword) and child.arg == "strict":
        return True
    return isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"


def _is_default(node: ast.AST, field: str, function: str) -> bool:
    """Whether it is a default value, which is computed where the function is defined, not when it runs."""
    return isinstance(node, ast.FunctionDef) and field == "args" and function.rpartition(".")[2] == node.name


def _qualified(function: str, node: ast.AST, *, inside: bool) -> tuple[str, bool]:
    """Return the function that the parts of a node are in. Functions in functions count as the outer one."""
    if inside or not isinstance(node, ast.FunctionDef | ast.ClassDef):
        return function, inside
    own = f"{function}.{node.name}".lstrip(".")
    return own, isinstance(node, ast.FunctionDef)


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for new in _changed(node):
        yield f"{_shown(node)} -> {_shown(new)}", new


def _shown(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())[:90]


def _changed(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(left, ops, comparators):
            for place, each in enumerate(ops):
                if type(each) in OTHER:
                    yield ast.Compare(left, [*ops[:place], OTHER[type(each)](), *ops[place + 1 :]], comparators)
        case ast.BinOp(left, op, right) if type(op) in OTHER:
            yield ast.BinOp(left, OTHER[type(op)](), right)
        case ast.AugAssign(target, op, value) if type(op) in OTHER:
            yield ast.AugAssign(target, OTHER[type(op)](), value)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(OTHER[type(op)](), values)
        case ast.UnaryOp(ast.Not() | ast.USub() | ast.Invert(), operand):
            yield operand
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield ast.Constant(value + 1)
        case ast.Constant(str() as value) if value in ("left", "right"):
            yield ast.Constant(NAMES[value])
        case ast.Name(id=name, ctx=ast.Load()) if name in NAMES:
            yield ast.Name(NAMES[name], ast.Load())
        case ast.Attribute(value, attr) if attr in NAMES:
            yield ast.Attribute(value, NAMES[attr], ast.Load())
        case ast.If(test, body, orelse) if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()
        case ast.Expr(ast.Call()):
            yield ast.Pass()
