"""What options of a stream from Kafka mean: some ask for columns that the connector has to be told about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slackwater.sql.tree import CreateStream

_ARRIVALS = ("append_time", "offset")


def asked_of_kafka(statement: CreateStream) -> dict[str, str]:
    """Return `time` and `arrival` of `sw.from_kafka` as a statement asks for them; a column of its payload wins.

    >>> from slackwater.sql.pipeline import read_pipeline
    >>> create = "CREATE STREAM k WITH (format = 'kafka', event_time = 'header:sent', arrival = 'offset')"
    >>> asked_of_kafka(read_pipeline(f"{create}; SELECT * FROM k").streams["k"])
    {'time': 'header:sent', 'arrival': 'offset'}
    """
    payload = {name for name, _ in statement.columns}
    time, arrival = (statement.options.get(name) for name in ("event_time", "arrival"))
    asked = {}
    if isinstance(time, str) and time not in payload and (time == "timestamp" or time.startswith("header:")):
        asked["time"] = time
    if isinstance(arrival, str) and arrival not in payload and arrival in _ARRIVALS:
        asked["arrival"] = arrival
    return asked


def meaning_of_kafka(statement: CreateStream) -> dict[str, Any]:
    """Return which columns have what was asked for."""
    named = {"time": ("event_time", "event_time"), "arrival": ("arrival", "arrival")}
    return dict(named[what] for what in asked_of_kafka(statement))
