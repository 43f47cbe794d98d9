"""Errors of lower layers get the place in the text that they are about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

from slackwater.errors import SlackwaterError, SqlError
from slackwater.sql.tree import Place


@dataclass(frozen=True)
class Places:
    """The text that places are of."""

    text: str

    @contextmanager
    def at(self, place: Place) -> Iterator[None]:
        """Say of any error of ours within that it is about this place."""
        try:
            yield
        except SqlError:
            raise
        except SlackwaterError as error:
            raise SqlError(self.text, start=place[0], stop=place[1], problem=str(error)) from error

    def fail(self, place: Place, problem: str, remedy: str = "") -> NoReturn:
        """Raise an error at a place."""
        raise SqlError(self.text, start=place[0], stop=place[1], problem=problem, remedy=remedy)
