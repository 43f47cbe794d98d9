"""The YAML form of a pipeline: the same statements, as mappings.

    settings: {engine: local}
    streams:
      bus: {dataset: traffic}
      scats: {path: scats.parquet, event_time: ts, columns: {ts: TIMESTAMP, area: INT}}
    sinks:
      jams: {path: out/jams.parquet}
    queries:
      - into: jams
        select: bus.line, scats.flow
        from: bus [5 SECONDS], scats [5 SECONDS]
        where: bus.area = scats.area
        contract: RECALL 0.99 OVER 1 MINUTE

A query may also be one text. Clauses are those of SQL; what they say is read by the same parser.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from slackwater.errors import SqlError
from slackwater.sql.parser import parse
from slackwater.sql.pipeline import Pipeline, pipeline_of
from slackwater.sql.printer import print_statement
from slackwater.sql.tree import CreateSink, CreateStream, Options, Setting, Statement
from slackwater.wording import did_you_mean

_PARTS = ("settings", "streams", "sinks", "queries")
# Clauses of a query, in the order in which they are put together.
_CLAUSES: Mapping[str, str] = {
    "into": "INSERT INTO {}",
    "select": "SELECT {}",
    "from": "FROM {}",
    "window": "WINDOW [{}]",
    "where": "WHERE {}",
    "group_by": "GROUP BY {}",
    "partition_by": "PARTITION BY {}",
    "contract": "WITH {}",
    "early": "EARLY {}",
    "late": "LATE {}",
    "decisions": "DECISIONS TO {}",
    "buckets": "BUCKETS {}",
    "empty": "EMPTY {}",
}


def read_yaml(text: str) -> Pipeline:
    r"""Read and check a pipeline that is written as YAML.

    Errors within clauses show the statement in SQL, which is what the YAML stands for.

    Raises:
        SqlError: it is no YAML, or not such a pipeline.

    >>> text = "streams: {bus: {dataset: traffic}}\nqueries: [SELECT * FROM bus WITH SLACK 1 s]"
    >>> list(read_yaml(text).streams)
    ['bus']
    """
    return pipeline_of(parse(sql_of_yaml(text)))


def sql_of_yaml(text: str) -> str:
    """Return the SQL that a YAML text stands for.

    Raises:
        SqlError: it is no YAML, or has parts that nobody knows.
    """
    found = _mapping(text, _loaded(text), "the file")
    for part in found:
        if part not in _PARTS:
            raise _wrong(text, part, f"there is no part {part!r}", did_you_mean(str(part), _PARTS), _PARTS)
    statements: list[Statement] = [
        Setting(str(name), _literal(text, name, value)) for name, value in _part(text, found, "settings").items()
    ]
    statements += [_stream(text, str(name), each) for name, each in _part(text, found, "streams").items()]
    statements += [
        CreateSink(str(name), _options(text, name, each)) for name, each in _part(text, found, "sinks").items()
    ]
    queries = found.get("queries") or []
    written = [_query(text, each) for each in (queries if isinstance(queries, list) else [queries])]
    return ";\n\n".join([*map(print_statement, statements), *written])


def _loaded(text: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text) or {}
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        start = 0 if mark is None else min(mark.index, len(text))
        problem = str(getattr(error, "problem", None) or "this is not YAML")
        raise SqlError(text, start=start, stop=start + 1, problem=problem) from error


def _part(text: str, found: Mapping[Any, Any], part: str) -> Mapping[Any, Any]:
    return _mapping(text, found.get(part) or {}, part)


def _mapping(text: str, value: Any, what: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise _wrong(text, what, f"{what} must have names and values", "", _PARTS)
    return value


def _stream(text: str, name: str, stated: Any) -> CreateStream:
    options = dict(_mapping(text, stated, name))
    columns = _mapping(text, options.pop("columns", {}), "columns")
    typed = tuple((str(column), str(kind).upper()) for column, kind in columns.items())
    return CreateStream(name, typed, _options(text, name, options))


def _options(text: str, name: Any, stated: Any) -> Options:
    found = _mapping(text, stated, str(name))
    return Options(tuple((str(option), _literal(text, option, value)) for option, value in found.items()))


def _literal(text: str, name: Any, value: Any) -> Any:
    if isinstance(value, str | bool):
        return value
    if isinstance(value, int | float):
        return Decimal(str(value))
    raise _wrong(text, name, f"{name} must be a text, a number, true or false", "", ())


def _query(text: str, stated: Any) -> str:
    """Return a query as SQL: as it is, or put together from its clauses."""
    if isinstance(stated, str):
        return stated.strip().rstrip(";")
    clauses = _mapping(text, stated, "queries")
    for clause in clauses:
        if clause not in _CLAUSES:
            raise _wrong(text, clause, f"there is no clause {clause!r}", did_you_mean(str(clause), _CLAUSES), _CLAUSES)
    return "\n".join(form.format(_listed(clauses[name])) for name, form in _CLAUSES.items() if name in clauses)


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _wrong(text: str, where: Any, problem: str, meant: str, choice: Any) -> SqlError:
    found = re.search(rf"(?<![\w-]){re.escape(str(where))}(?![\w-])", text)
    start = 0 if found is None else found.start()
    remedy = meant.strip() or (f"there are: {', '.join(choice)}" if choice else "")
    return SqlError(text, start=start, stop=start + (len(str(where)) if found else 1), problem=problem, remedy=remedy)
