"""Errors of lower layers get the place in the text that they are about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

from slackwater.errors import ParameterError, SlackwaterError, SqlError
from slackwater.sql.spoken import in_sql
from slackwater.sql.tree import Place

_NONE: Mapping[str, Place] = {}
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
            raise SqlError(self.text, start=place[0], stop=place[1], problem=problem, remedy=remedy) from error

    def fail(self, place: Place, problem: str, remedy: str = "") -> NoReturn:
        """Raise an error at a place."""
        raise SqlError(self.text, start=place[0], stop=place[1], problem=problem, remedy=remedy)


def _in_parts(error: SlackwaterError) -> tuple[str, str]:
    """Return what is wrong and what to do; what was given is under the caret already."""
    remedy = str(getattr(error, "remedy", ""))
    if isinstance(error, ParameterError) and error.parameter in (QUERY, "where"):
        return f"it must {in_sql(error.must)}", in_sql(remedy)
    return in_sql(str(error).removesuffix(f"; {remedy}")), in_sql(remedy)
