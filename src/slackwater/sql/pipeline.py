"""A whole pipeline in one file: its streams, sinks, settings and queries, with every name checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from slackwater.sql.apart import check_apart
from slackwater.sql.options import SETTINGS, SINK, STREAM, check_options
from slackwater.sql.parser import parse
from slackwater.sql.places import Places
from slackwater.sql.tree import CreateSink, CreateStream, Query, Script, Setting
from slackwater.wording import did_you_mean

if TYPE_CHECKING:
    from slackwater.sql.tree import Place

SIDE = "side"  # LATE TO side without such a sink: the rows are counted, and in process kept with the output
_Created = TypeVar("_Created", CreateStream, CreateSink, Setting)


@dataclass(frozen=True)
class Pipeline:
    """What a file says, by names."""

    script: Script
    streams: Mapping[str, CreateStream]
    sinks: Mapping[str, CreateSink]
    settings: Mapping[str, Setting]
    queries: tuple[Query, ...]

    @property
    def places(self) -> Places:
        """Where errors are shown."""
        return Places(self.script.text)

    @property
    def text(self) -> str:
        """The text of the file."""
        return self.script.text


def read_pipeline(text: str) -> Pipeline:
    """Read and check a file.

    Raises:
        SqlError: it cannot be read, names what is not there, or has no query.

    >>> read_pipeline("CREATE STREAM bus WITH (dataset = 'traffic'); SELECT * FROM bus WITH SLACK 1 s").queries[0].into
    """
    return pipeline_of(parse(text))


def pipeline_of(script: Script) -> Pipeline:
    """Check the statements of a script together.

    Raises:
        SqlError: as `read_pipeline`.
    """
    places = Places(script.text)
    found = Pipeline(
        script,
        _by_name(places, (each for each in script.statements if isinstance(each, CreateStream))),
        _by_name(places, (each for each in script.statements if isinstance(each, CreateSink))),
        _by_name(places, (each for each in script.statements if isinstance(each, Setting))),
        tuple(each for each in script.statements if isinstance(each, Query)),
    )
    _check(found)
    return found


def _check(found: Pipeline) -> None:
    places = found.places
    if not found.queries:
        end = len(found.text)
        places.fail((end, end), "there is no query", "write SELECT ... FROM ... WITH RECALL 0.99 OVER 1 MINUTE")
    for stream in found.streams.values():
        check_options(places, stream.place, stream.options, STREAM)
    for sink in found.sinks.values():
        check_options(places, sink.place, sink.options, SINK)
    for setting in found.settings.values():
        if setting.name not in SETTINGS and not setting.name.startswith("spark."):
            remedy = f"{did_you_mean(setting.name, SETTINGS)}settings are: {', '.join(SETTINGS)}, spark...."
            places.fail(setting.place, f"there is no setting {setting.name!r}", remedy)
    used: set[str] = set()
    for query in found.queries:
        for place, sink_name in _sinks(query):
            _check_sink(found, place, sink_name)
            if sink_name in used:
                found.places.fail(place, f"two outputs go to {sink_name!r}", "give each a sink of its own")
            used.add(sink_name)
    check_apart(places, [found.sinks[name] for name in found.sinks if name in used], found.streams.values())


def _sinks(query: Query) -> list[tuple[Place, str]]:
    """Return the sinks that a query names, each with the place of its clause."""
    named = {"into": query.into, "decisions": query.decisions}
    found = [(query.place_of(clause), sink) for clause, sink in named.items() if sink]
    late = _late_sink(query.first)
    return [*found, *([(query.first.place_of("late"), late)] if late else [])]


def _late_sink(query: Query) -> str | None:
    """Return the sink that late rows go to; None: they stay at the side."""
    return None if query.late is None or query.late.sink == SIDE else query.late.sink


def refuse_sinks(query: Query, text: str) -> None:
    """Refuse a query that names sinks where there are none.

    Raises:
        SqlError: it does; LATE TO side names none.
    """
    for place, sink in _sinks(query):
        remedy = "sinks are for slackwater run; here read .results, .late and .decisions, or start() on Spark"
        Places(text).fail(place, f"there is no sink {sink!r}", remedy)


def _check_sink(found: Pipeline, place: Place, name: str) -> None:
    if name not in found.sinks:
        remedy = did_you_mean(name, found.sinks) or f"write CREATE SINK {name} WITH (path = 'out/{name}')"
        found.places.fail(place, f"there is no sink {name!r}", remedy.strip())


def _by_name(places: Places, created: Iterable[_Created]) -> dict[str, _Created]:
    named: dict[str, _Created] = {}
    for each in created:
        if each.name in named:
            places.fail(each.place, f"{each.name!r} is there twice", "leave one out, or give it another name")
        named[each.name] = each
    return named
