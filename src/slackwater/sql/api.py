"""`sw.sql` as users call it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slackwater.api import Stream
    from slackwater.contracts import Contract
    from slackwater.sql.output import SqlOutput


def sql(text: str, /, *, contract: Contract | None = None, **streams: Stream) -> SqlOutput:
    """Build a plan from SQL with windows and a contract; see docs/SQL.md for all that may be written.

    Args:
        text: one SELECT, in our words or as the papers write it: `[5 SEC]`, `KEEP 3 SECOND`, `[RANGE 5 minutes, DRATIO
            1%]`, `Window[Range 10min, Slide 2min]`.
        contract: what holds where the text states no contract; without either, it is an error that shows examples.
        streams: made by `sw.stream`, each under the name that the text has for it.

    Raises:
        SqlError: with line, column, a caret under the place and, where one is near, a suggestion.

    >>> import pyarrow as pa, slackwater as sw
    >>> bus = sw.stream(pa.table({"ts": [1, 2, 6], "area": ["a", "b", "a"]}), event_time="ts", unit="s")
    >>> scats = sw.stream(pa.table({"ts": [2, 5], "area": ["a", "a"]}), event_time="ts", unit="s")
    >>> jams = sw.sql('''
    ...     SELECT bus.ts AS bus, scats.ts AS scats, bus.ts - scats.ts AS apart
    ...     FROM bus [2 SECONDS], scats [2 SECONDS] WHERE bus.area = scats.area
    ...     WITH RECALL 0.99 OVER 1 MINUTE''', bus=bus, scats=scats)
    >>> jams.results.to_pylist()
    [{'bus': 1, 'scats': 2, 'apart': -1}, {'bus': 6, 'scats': 5, 'apart': 1}]
    >>> sw.sql("SELECT * FROM bus [2 SECONDS], scats [2 SECNDS] WITH RECALL 0.99", bus=bus, scats=scats)
    Traceback (most recent call last):
        ...
    slackwater.errors.SqlError: line 1, column 41: expected a unit, got 'SECNDS'
      SELECT * FROM bus [2 SECONDS], scats [2 SECNDS] WITH RECALL 0.99
                                              ^^^^^^
    did you mean seconds?
    """
    from slackwater.sql.bind import bind
    from slackwater.sql.parser import parse_query
    from slackwater.sql.pipeline import refuse_sinks

    query = parse_query(_checked(text))
    refuse_sinks(query, text)
    named: dict[str, Any] = dict(streams)
    return bind(query, text, named, contract)


# `slackwater.sql` is this function and a package: with this name `import slackwater.sql.parser as parser` finds its way
# from the one to the other.
sql.__name__ = "slackwater.sql"


def _checked(text: Any) -> str:
    if not isinstance(text, str):
        from slackwater.errors import ParameterError

        raise ParameterError("text", type(text).__name__, must="be SQL", remedy='such as sw.sql("SELECT ...", bus=bus)')
    return text
