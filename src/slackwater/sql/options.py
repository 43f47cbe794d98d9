"""What may be said about streams, sinks and settings: names, types, what must be there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from slackwater.errors import ParameterError
from slackwater.time import Duration
from slackwater.units import EXAMPLES
from slackwater.wording import did_you_mean

if TYPE_CHECKING:
    from slackwater.sql.places import Places
    from slackwater.sql.tree import Options, Place


@dataclass(frozen=True)
class Allowed:
    """The options of a kind of statement: with their types, and the first of which one must be there."""

    types: Mapping[str, type]
    one_of: tuple[str, ...]


_MEANING = dict.fromkeys(
    ("event_time", "unit", "arrival", "arrival_time", "max_ahead", "idle_after", "marker", "since"), str
)
STREAM = Allowed(
    {
        "path": str,
        "format": str,
        "dataset": str,
        "stream": str,
        "seed": int,
        "duration": str,
        "part": str,
        "rows_per_second": float,
        "subscribe": str,
        "startingOffsets": str,
        **_MEANING,
    },
    ("path", "dataset", "format"),
)
SINK = Allowed({"path": str, "format": str, "rows": int, "topic": str, "key": str}, ("path", "format"))
SETTINGS: Mapping[str, type] = {"engine": str, "trigger": str, "checkpoint": str}
MEANING = tuple(_MEANING)
_DURATIONS = ("max_ahead", "idle_after")


def check_options(places: Places, place: Place, options: Options, allowed: Allowed) -> None:
    """Refuse options that nobody knows, values of the wrong type, and a statement that says too little.

    Raises:
        SqlError: at the option.
    """
    for (name, value), where in zip(options.pairs, options.places or [place] * len(options.pairs), strict=True):
        if "." in name:
            continue  # Spark's own, handed to its connector
        if name not in allowed.types:
            remedy = f"{did_you_mean(name, allowed.types)}options are: {', '.join(allowed.types)}; Spark's have a dot"
            places.fail(where, f"there is no option {name!r}", remedy)
        kind = allowed.types[name]
        if not _fits(value, kind):
            words = {str: "a text in quotes", int: "a whole number", float: "a number"}
            places.fail(where, f"{name} is {words[kind]}, got {value}")
        if name in _DURATIONS and str(value).lower() != "none":
            _check_duration(places, places.value(where) if options.places else where, name, str(value))
    if not any(name in dict(options.pairs) for name in allowed.one_of):
        places.fail(place, f"it needs one of {', '.join(allowed.one_of)}", "such as WITH (path = 'events.parquet')")


def _check_duration(places: Places, place: Place, name: str, value: str) -> None:
    try:
        Duration.of(value)
    except ParameterError as error:
        example = f"write it with a unit, such as {name} = '5 minutes'"
        remedy = error.remedy.replace(EXAMPLES, example).replace('"', "'")
        places.fail(place, f"{name} must {error.must}, got {value!r}", remedy)


def _fits(value: Any, kind: type) -> bool:
    if kind is str or isinstance(value, bool | str):
        return isinstance(value, str) and kind is str
    return isinstance(value, Decimal) and (kind is float or value == int(value))


def of_spark(options: Options) -> dict[str, str]:
    """Return what Spark's connector is handed: names with a dot (without `option.` before them), and Kafka's."""
    kafka = ("subscribe", "startingOffsets", "topic", "key")
    return {
        name.removeprefix("option."): str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in options.pairs
        if "." in name or name in kafka
    }
