"""From text to tokens that know their place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from slackwater.errors import SqlError

Kind = Literal["word", "number", "string", "quoted", "symbol", "end"]

_PATTERN = re.compile(
    r"""
    (?P<skip>   \s+ | --[^\n]* | /\*.*?\*/ )
  | (?P<number> (?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+(?!\w))? )
  | (?P<word>   [^\W0-9]\w* )
  | (?P<string> '(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.|"")*" )
  | (?P<quoted> `(?:[^`]|``)+` )
  | (?P<symbol> <=> | <= | >= | <> | != | == | \|\| | :: | [()\[\],.;:=<>+\-*/%&|^~!] )
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENED = {"'": "a text", '"': "a text", "`": "a name", "/*": "a comment"}

# After these an expression goes on, so that what follows is a name even if it is also the first word of a clause.
OPERATORS = (
    *("AND", "OR", "NOT", "IN", "LIKE", "ILIKE", "RLIKE", "REGEXP", "BETWEEN", "IS", "DIV", "DISTINCT"),
    *("CASE", "WHEN", "THEN", "ELSE"),
)
_GOES_ON = frozenset((*OPERATORS, "SELECT", "WHERE", "BY", "FROM", "AS", "ALL", "ANY", "INTERVAL", "ESCAPE"))


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text, and its place: the first character, and the one after the last."""

    kind: Kind
    text: str
    start: int
    stop: int

    def is_word(self, *words: str) -> bool:
        """Whether it is one of these words, in upper or lower case."""
        return self.kind == "word" and self.text.upper() in words

    def is_symbol(self, *symbols: str) -> bool:
        """Whether it is one of these symbols."""
        return self.kind == "symbol" and self.text in symbols

    @property
    def ends_operand(self) -> bool:
        """Whether an expression may end here."""
        if self.kind == "word":
            return self.text.upper() not in _GOES_ON
        return self.kind in ("number", "string", "quoted") or self.is_symbol(")", "]")


def tokenize(text: str) -> list[Token]:
    """Split a text; the last token is the end. A dot before digits begins a number only where a name cannot go on.

    Raises:
        SqlError: a character that means nothing, or a text, name or comment that does not end.

    >>> [token.text for token in tokenize("FROM S1 [5 SEC] -- JI16")]
    ['FROM', 'S1', '[', '5', 'SEC', ']', '']
    """
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        found = _PATTERN.match(text, position)
        if found is None:
            raise _lost(text, position)
        stop = found.end()
        if found.lastgroup == "number" and found[0].startswith(".") and tokens and tokens[-1].ends_operand:
            tokens.append(Token("symbol", ".", position, position + 1))
            stop = position + 1
        elif found.lastgroup != "skip":
            tokens.append(Token(found.lastgroup, found[0], position, stop))  # type: ignore[arg-type]
        position = stop
    return [*tokens, Token("end", "", len(text), len(text))]


def _lost(text: str, position: int) -> SqlError:
    rest = text[position:]
    for opening, what in _OPENED.items():
        if rest.startswith(opening):
            remedy = f"close it with {'*/' if opening == '/*' else opening}"
            return SqlError(
                text, start=position, stop=len(text), problem=f"{what} begins here and has no end", remedy=remedy
            )
    problem = f"{text[position]!r} means nothing here"
    return SqlError(text, start=position, stop=position + 1, problem=problem, remedy="names with it go in `backticks`")


def name_of(token: Token) -> str:
    """Return the name that a word or a quoted name stands for."""
    return token.text[1:-1].replace("``", "`") if token.kind == "quoted" else token.text


def quoted(name: str) -> str:
    """Write a name so that it is read back as one.

    >>> quoted("bus"), quoted("my bus")
    ('bus', '`my bus`')
    """
    plain = re.fullmatch(r"[^\W0-9]\w*", name) is not None and name.upper() not in RESERVED
    return name if plain else f"`{name.replace('`', '``')}`"


# Words that begin a clause or are part of one: as a name, they are written in backticks.
CLAUSES = (
    *("FROM", "INTO", "WHERE", "WINDOW", "SLIDE", "GROUP", "PARTITION", "HAVING", "ORDER", "LIMIT", "WITH", "WITHIN"),
    *("DEADLINE", "EARLY", "LATE", "DECISIONS", "BUCKETS", "UNION", "EMPTY"),
)
# Of these the ones that are also names of columns: they begin a clause only where an expression may end.
ALSO_NAMES = ("WINDOW", "SLIDE", "DEADLINE", "EARLY", "LATE", "DECISIONS", "BUCKETS", "EMPTY", "LIMIT")
RESERVED = frozenset((*CLAUSES, *_GOES_ON, "KEEP", "MERGE", "ON", "CREATE", "INSERT", "SET", "NULL", "TRUE", "FALSE"))
