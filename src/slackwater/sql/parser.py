"""From text to tree: a script of statements, or one query."""

from __future__ import annotations

import re
from decimal import Decimal

from slackwater.sql.query import read_query
from slackwater.sql.reader import Reader
from slackwater.sql.tokens import Token
from slackwater.sql.tree import CreateSink, CreateStream, Literals, Options, Place, Query, Script, Setting, Statement

_STATEMENTS = ("SELECT", "INSERT", "CREATE", "SET")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


def parse(text: str) -> Script:
    """Read all statements of a text, which have semicolons between them.

    Raises:
        SqlError: with line, column, a caret and, where one is near, a suggestion.

    >>> parse("SELECT * FROM S1 [5 SEC], S2 [5 SEC] WHERE S1.a = S2.a").statements[0].where.text
    'S1.a = S2.a'
    """
    reader = Reader(text)
    statements: list[Statement] = []
    while not reader.at_end:
        if reader.takes_symbol(";"):
            continue
        statements.append(_statement(reader))
        if not reader.at_end:
            reader.symbol(";")
    return Script(tuple(statements), text)


def parse_query(text: str) -> Query:
    """Read a text that is one query and nothing else.

    Raises:
        SqlError: it is not.

    >>> parse_query("Select Sum(volume) from S Window[Range 10min, Slide 2min]").streams[0].window.size
    Duration('10 minutes')
    """
    reader = Reader(text)
    if not reader.next.is_word("SELECT"):
        reader.expected("SELECT", ["SELECT"], remedy="CREATE and INSERT are for slackwater run")
    query = read_query(reader)
    reader.takes_symbol(";")
    if not reader.at_end:
        reader.fail("there is more after the query", "sw.sql takes one query; slackwater run takes many statements")
    return query


def _statement(reader: Reader) -> Statement:
    start = reader.position
    if reader.next.is_word("SELECT"):
        return read_query(reader)
    word = reader.word(*_STATEMENTS)
    if word == "INSERT":
        reader.word("INTO")
        return read_query(reader, into=reader.name("the name of a sink"))
    if word == "SET":
        name = _option_name(reader)
        reader.symbol("=")
        return Setting(name, _literal(reader), place=reader.place_from(start))
    return _create(reader, start)


def _create(reader: Reader, start: int) -> CreateStream | CreateSink:
    kind = reader.word("STREAM", "SINK")
    name = reader.name(f"the name of the {kind.lower()}")
    columns = _columns(reader) if kind == "STREAM" and reader.takes_symbol("(") else ()
    reader.word("WITH")
    options = _options(reader)
    place = reader.place_from(start)
    return CreateSink(name, options, place) if kind == "SINK" else CreateStream(name, columns, options, place)


def _columns(reader: Reader) -> tuple[tuple[str, str], ...]:
    found = reader.listed(lambda: (reader.name("the name of a column"), _type(reader)))
    reader.symbol(")")
    for number, (name, _) in enumerate(found):
        if name in (each for each, _ in found[:number]):
            reader.fail(f"the column {name!r} is here twice")
    return tuple(found)


def _type(reader: Reader) -> str:
    """Read a type: a word, with numbers in parentheses or types in < >."""
    if reader.next.kind != "word":
        reader.expected("a type, such as BIGINT, DOUBLE, STRING or TIMESTAMP")
    written = reader.take().text.upper()
    depth = 0
    while reader.next.is_symbol("(", "<") or depth:
        token = reader.take()
        if token.kind == "end":
            reader.expected("the end of the type")
        depth += token.is_symbol("(", "<") - token.is_symbol(")", ">")
        written += f"{token.text} " if token.is_symbol(",", ":") else token.text
    return written


def _options(reader: Reader) -> Options:
    reader.symbol("(")
    found = reader.listed(lambda: _pair(reader))
    reader.symbol(")")
    names = [name for name, _, _ in found]
    for number, (name, _, place) in enumerate(found):
        if name in names[:number]:
            reader.fail(f"{name} is here twice", "leave one out", place)
    return Options(tuple((name, value) for name, value, _ in found), tuple(place for *_, place in found))


def _pair(reader: Reader) -> tuple[str, Literals, Place]:
    start = reader.position
    name = _option_name(reader)
    reader.symbol("=")
    return name, _literal(reader), reader.place_from(start)


def _option_name(reader: Reader) -> str:
    """Read a name, with dots as Spark's options have them, or as a text."""
    if reader.next.kind == "string":
        return unquoted(reader.take())
    parts = [_any_word(reader)]
    while reader.takes_symbol("."):
        parts.append(_any_word(reader))
    return ".".join(parts)


def _any_word(reader: Reader) -> str:
    if reader.next.kind != "word":
        reader.expected("the name of an option")
    return reader.take().text


def _literal(reader: Reader) -> Literals:
    if reader.next.kind == "string":
        return unquoted(reader.take())
    if reader.next.is_word("TRUE", "FALSE"):
        return reader.take().text.upper() == "TRUE"
    negative = reader.takes_symbol("-")
    number = reader.number("a text in quotes, a number, TRUE or FALSE")
    return Decimal(0) - number if negative else number


def unquoted(token: Token) -> str:
    r"""Return what a text in quotes stands for; quotes are doubled or follow a backslash.

    >>> from slackwater.sql.tokens import tokenize
    >>> unquoted(tokenize("'it''s'")[0]), unquoted(tokenize(r"'a\tb\\c'")[0])
    ("it's", 'a\tb\\c')
    """
    quote, inner = token.text[0], token.text[1:-1]
    pattern = rf"\\(.)|{quote}{quote}"
    return re.sub(
        pattern, lambda found: _ESCAPES.get(found[1], found[1]) if found[1] else quote, inner, flags=re.DOTALL
    )
