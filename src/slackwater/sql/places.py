"""Errors of lower layers get the place in the text that they are about."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

from slackwater.errors import ColumnError, ParameterError, SlackwaterError, SqlError
from slackwater.sql.spoken import in_sql
from slackwater.sql.tokens import Token, name_of, tokenize
from slackwater.sql.tree import Place

_NONE: Mapping[str, Place] = {}
_UNKNOWN = re.compile("name columns of the streams, not '(.*)'")  # as lower layers say it, who know no places
QUERY = "query"  # what lower layers call the parameter that the text is


@dataclass(frozen=True)
class Places:
    """The text that places are of."""

    text: str

    @contextmanager
    def at(self, place: Place, by_parameter: Mapping[str, Place] = _NONE) -> Iterator[None]:
        """Say of any error of ours within that it is about this place, or about that of the parameter it names."""
        try:
            yield
        except SqlError:
            raise
        except SlackwaterError as error:
            problem, remedy = _in_parts(error)
            place = by_parameter.get(getattr(error, "parameter", ""), place)
            places = (self._of_name(place, parts) for parts in _missing(error))
            place = next((each for each in places if each is not None), place)
            raise SqlError(self.text, start=place[0], stop=place[1], problem=problem, remedy=remedy) from error

    def finding(self, place: Place, find: Callable[[list[str]], Sequence[str]]) -> Callable[[list[str]], Sequence[str]]:
        """Return what finds columns and says of an error that it is about their names, which are within this place."""

        def found(parts: list[str]) -> Sequence[str]:
            with self.at(self._of_name(place, parts) or place):
                return find(parts)

        return found

    def value(self, option: Place) -> Place:
        """Return the place of the value of an option, of which this is the place: `idle_after = '5 minutes'`."""
        tokens = tokenize(self.text[slice(*option)])
        values = [after for before, after in itertools.pairwise(tokens) if before.is_symbol("=")]
        return (option[0] + values[0].start, option[1]) if values else option

    def _of_name(self, place: Place, parts: Sequence[str]) -> Place | None:
        """Return where a name with dots is written first, or None where it is not."""
        tokens = tokenize(self.text[slice(*place)])
        length = 2 * len(parts) - 1
        for number in range(len(tokens) - length):
            written, after = tokens[number : number + length], tokens[number + length]
            if _names(written) == list(parts) and not after.is_symbol("("):
                return place[0] + written[0].start, place[0] + written[-1].stop
        return None

    def fail(self, place: Place, problem: str, remedy: str = "") -> NoReturn:
        """Raise an error at a place."""
        raise SqlError(self.text, start=place[0], stop=place[1], problem=problem, remedy=remedy)


def _missing(error: SlackwaterError) -> list[list[str]]:
    """Return how a column that does not exist may be written; nothing where an error is about something else."""
    if isinstance(error, ColumnError) and error.problem == "does not exist":
        return [[error.stream, error.column], [error.column]]
    unknown = _UNKNOWN.fullmatch(error.must) if isinstance(error, ParameterError) else None
    return [] if unknown is None else [[unknown[1]]]


def _names(tokens: Sequence[Token]) -> list[str] | None:
    """Return the parts of a name with dots between them, or None if it is something else."""
    parts, dots = tokens[::2], tokens[1::2]
    if not all(dot.is_symbol(".") for dot in dots) or any(part.kind not in ("word", "quoted") for part in parts):
        return None
    return [name_of(part) for part in parts]


def _in_parts(error: SlackwaterError) -> tuple[str, str]:
    """Return what is wrong and what to do; what was given is under the caret already."""
    remedy = str(getattr(error, "remedy", ""))
    if isinstance(error, ParameterError) and error.parameter in (QUERY, "where"):
        if missing := _UNKNOWN.fullmatch(error.must):
            return f"column '{missing[1]}' does not exist", in_sql(remedy)
        return f"it must {in_sql(error.must)}", in_sql(remedy)
    return in_sql(str(error).removesuffix(f"; {remedy}")), in_sql(remedy)
