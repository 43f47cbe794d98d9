"""Expressions: where they end, how they are written, and sqlglot's opinion about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from slackwater.errors import SqlError
from slackwater.sql.tokens import ALSO_NAMES, CLAUSES, OPERATORS, Token
from slackwater.sql.tree import Expression, Place
from slackwater.wording import did_you_mean

if TYPE_CHECKING:
    from sqlglot import exp

    from slackwater.sql.reader import Reader

DIALECT = "spark"
_TIGHT_BEFORE = frozenset([")", "]", ",", ".", "[", "::"])  # no space before these
_TIGHT_AFTER = frozenset(["(", "[", ".", "::"])  # nor after these
_DEEPEST = 100  # brackets within brackets
_OPENING, _CLOSING = ("(", "["), (")", "]")


def read_expression(reader: Reader, what: str, *, ends: Sequence[str] = CLAUSES) -> Expression:
    """Read tokens up to a comma, a semicolon, an alias or the first word of a clause; brackets are closed first."""
    start, depth = reader.position, 0
    while not reader.at_end:
        token = reader.next
        if depth == 0 and _ends(reader, start, ends):
            break
        depth += token.is_symbol(*_OPENING) - token.is_symbol(*_CLOSING)
        if depth > _DEEPEST:
            reader.fail(f"brackets are nested more than {_DEEPEST} deep")
        reader.take()
    if reader.position == start:
        reader.expected(what)
    return checked_expression(reader.text, reader.tokens[start : reader.position])


def _ends(reader: Reader, start: int, ends: Sequence[str]) -> bool:
    token = reader.next
    if token.is_symbol(",", ";", *_CLOSING) or token.is_word("AS"):
        return True
    before = reader.tokens[reader.position - 1] if reader.position > start else None
    if before is None:
        return token.is_word(*ends) and not token.is_word(*ALSO_NAMES)
    return token.is_word(*ends) and (before.ends_operand or is_star(reader.tokens[start : reader.position]))


def checked_expression(text: str, tokens: Sequence[Token]) -> Expression:
    """Return tokens as an expression that sqlglot can read.

    Raises:
        SqlError: it cannot; the place is where it stopped.
    """
    place = tokens[0].start, tokens[-1].stop
    expression = Expression(spaced(tokens), place)
    if not is_star(tokens):
        tree_of(expression, text)
    return expression


def is_star(tokens: Sequence[Token]) -> bool:
    """Whether tokens are `*` or `bus.*`, and not the beginning of a product."""
    return tokens[-1].is_symbol("*") and (len(tokens) == 1 or (len(tokens) == 3 and tokens[1].is_symbol(".")))


def spaced(tokens: Sequence[Token]) -> str:
    """Write tokens with spaces between them where people would: the same tokens come out of it again."""
    written = ""
    for position, token in enumerate(tokens):
        before = tokens[position - 1] if position else None
        written += token.text if before is None or _is_tight(before, token) else f" {token.text}"
    return written


def _is_tight(before: Token, token: Token) -> bool:
    if before.kind == "number":  # 10L is one number in Spark; 1 .x must not become another
        return (before.stop == token.start and token.kind == "word") or token.is_symbol(")", "]", ",")
    if token.is_symbol("("):
        return (before.kind == "word" and before.text.upper() not in OPERATORS) or before.is_symbol("(", "[")
    if before.is_symbol(*_TIGHT_AFTER):
        return not (before.is_symbol(".") and token.kind == "number")
    return token.is_symbol(*_TIGHT_BEFORE)


def tree_of(expression: Expression, text: str) -> exp.Expr:
    """Return an expression as sqlglot's tree.

    Raises:
        SqlError: it is not one; the place is where sqlglot stopped, as near as it says.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(expression.text, dialect=DIALECT, into=exp.Condition)
    except SqlglotError as error:
        problem, (start, stop) = _said(error, expression, text)
        remedy = _meant(text[start:stop])
        raise SqlError(text, start=start, stop=stop, problem=problem, remedy=remedy) from error
    except (RecursionError, ValueError, AttributeError, TypeError, IndexError, KeyError) as error:
        # sqlglot meets every text that anybody writes; what it stumbles over is no expression either
        raise _not_one(expression, text) from error
    if tree is None or isinstance(tree, exp.Alias | exp.Tuple):
        raise _not_one(expression, text)
    return tree


def _not_one(expression: Expression, text: str) -> SqlError:
    start, stop = expression.place
    remedy = "a name for a column is written after AS"
    return SqlError(text, start=start, stop=stop, problem="this is not an expression in SQL", remedy=remedy)


def _meant(word: str) -> str:
    if not word.isidentifier():
        return ""
    return (
        did_you_mean(word.upper(), (*CLAUSES, *OPERATORS), cutoff=0.7).strip()
        or "a name for a column is written after AS"
    )


def _said(error: Exception, expression: Expression, text: str) -> tuple[str, Place]:
    """Return what sqlglot says, and the place in the whole text of the word that it stopped at."""
    details = getattr(error, "errors", None) or [{}]
    said = str(details[0].get("description") or "this is not an expression in SQL").rstrip(".")
    said = said.split(" but got ")[0]
    said = "something is missing here" if said.startswith("Required keyword") else said
    said = "this does not go on here" if said.startswith("Invalid expression") else said
    start, stop = expression.place
    word = details[0].get("highlight") or ""
    ahead = expression.text[: max(0, (details[0].get("col") or 0) - len(word))]
    count = ahead.count(word) if word else 0
    for _ in range(count + 1):
        found = text.find(word, start, stop) if word else -1
        if found < 0:
            return said, expression.place
        start = found + 1
    return said, (start - 1, start - 1 + len(word))
