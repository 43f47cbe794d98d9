"""A cursor over tokens: what parsers ask it, and errors that name the place and what was probably meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import NoReturn, TypeVar

from slackwater.errors import SlackwaterError, SqlError
from slackwater.sql.spoken import in_sql
from slackwater.sql.tokens import CLAUSES, RESERVED, Token, name_of, tokenize
from slackwater.sql.tree import Place, Span, Ticks
from slackwater.time import Duration
from slackwater.units import UNITS
from slackwater.wording import did_you_mean

_T = TypeVar("_T")
_LONGEST = 100_000  # characters of a text; of a number, as many digits as anybody needs
_DIGITS = 40
_SHOWN = 60  # characters of a word, in an error
_DURATION = "a duration, such as 5 SECONDS"
_UNITS = "units are: us, ms, s, min, h, d, week"
_NO_UNITS = ("month", "months", "quarter", "quarters", "year", "years")


class Reader:
    """Reads a text from left to right."""

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            problem = f"a text of {len(text):,} characters is too long"
            raise SqlError(text, start=_LONGEST, stop=_LONGEST + 1, problem=problem, remedy=f"at most {_LONGEST:,}")
        self.text = text
        self.tokens = tokenize(text)
        self.position = 0

    @property
    def next(self) -> Token:
        """The token that comes next; the end stays the end."""
        return self.tokens[self.position]

    @property
    def at_end(self) -> bool:
        """Whether all has been read."""
        return self.next.kind == "end"

    def ahead(self, count: int = 1) -> Token:
        """Return a later token."""
        return self.tokens[min(self.position + count, len(self.tokens) - 1)]

    def take(self) -> Token:
        """Return the next token and go on."""
        token = self.next
        self.position = min(self.position + 1, len(self.tokens) - 1)
        return token

    def place_from(self, start: int) -> Place:
        """Return the place from a token's number up to what was read last."""
        last = self.tokens[max(self.position - 1, start)]
        return self.tokens[start].start, last.stop

    # What may come

    def takes_word(self, *words: str) -> bool:
        """Go past one of these words, if it comes."""
        found = self.next.is_word(*words)
        if found:
            self.take()
        return found

    def takes_symbol(self, *symbols: str) -> bool:
        """Go past one of these symbols, if it comes."""
        found = self.next.is_symbol(*symbols)
        if found:
            self.take()
        return found

    # What must come

    def word(self, *words: str) -> str:
        """Return which of these words comes."""
        if not self.next.is_word(*words):
            self.expected(" or ".join(words), words)
        return self.take().text.upper()

    def symbol(self, symbol: str) -> None:
        """Go past a symbol."""
        if not self.takes_symbol(symbol):
            self.expected(f"'{symbol}'")

    def name(self, what: str) -> str:
        """Return a name: a word that begins no clause, or anything in backticks."""
        token = self.next
        if token.kind == "quoted" or (token.kind == "word" and token.text.upper() not in RESERVED):
            return name_of(self.take())
        remedy = f"a name that is also a word of SQL is written in backticks: `{token.text}`"
        return self.expected(what, remedy=remedy if token.kind == "word" else "")

    def names(self, what: str) -> tuple[str, ...]:
        """Return names with commas between them."""
        return tuple(self.listed(lambda: self.name(what)))

    def listed(self, one: Callable[[], _T]) -> list[_T]:
        """Return what is read again after each comma."""
        found = [one()]
        while self.takes_symbol(","):
            found.append(one())
        return found

    def number(self, what: str) -> Decimal:
        """Return a number."""
        if self.next.kind != "number":
            self.expected(what)
        if len(self.next.text) > _DIGITS:
            self.fail(f"a number of {len(self.next.text)} digits is too long")
        return Decimal(self.take().text)

    def share(self, what: str) -> Decimal:
        """Return a share: 0.99, 99 % or 99 PERCENT."""
        number = self.number(f"{what}: a share, such as 0.99 or 99%")
        return _exact(number / 100) if self.takes_symbol("%") or self.takes_word("PERCENT") else number

    def span(self) -> Span:
        """Return a duration; a number without a unit has that of the stream."""
        self._refuse_no_number()
        unit = self.ahead()
        if unit.kind == "word" and _is_unit(unit):
            return self.duration()
        number = self.number(_DURATION)
        return self._misspelled(unit) if _is_misspelled_unit(unit) else Ticks(_exact(number))

    def duration(self) -> Duration:
        """Return a duration: 5 SECONDS, 10min, 1 minute 30 seconds."""
        self._refuse_no_number()
        start = self.position
        parts: list[str] = []
        while self.next.kind == "number" and self.ahead().kind == "word" and (not parts or _is_unit(self.ahead())):
            number, unit = self.take(), self.take()
            if not _is_unit(unit):
                self._misspelled(unit)
            parts.append(f"{number.text} {unit.text}")
        if not parts:
            self.number(_DURATION)
            self.expected("a unit, such as SECONDS")
        return self.checked(self.place_from(start), lambda: Duration.of(" ".join(parts)))

    # What is wrong

    def checked(self, place: Place, make: Callable[[], _T]) -> _T:
        """Return what is made; an error of it gets the place."""
        try:
            return make()
        except SqlError:
            raise
        except SlackwaterError as error:
            raise SqlError(self.text, start=place[0], stop=place[1], problem=in_sql(str(error))) from error

    def expected(self, what: str, choice: Iterable[str] = (), remedy: str = "") -> NoReturn:
        """Say what should have come, and what of the choice was probably meant."""
        found = self.next
        got = "the text ends" if found.kind == "end" else f"got {found.text[:_SHOWN]!r}"
        meant = did_you_mean(found.text.upper(), choice) if found.kind == "word" else ""
        self.fail(f"expected {what}, {got}", meant.strip() or remedy)

    def fail(self, problem: str, remedy: str = "", place: Place | None = None) -> NoReturn:
        """Raise an error at the next token, or at a place."""
        start, stop = place or (self.next.start, self.next.stop)
        raise SqlError(self.text, start=start, stop=stop, problem=problem, remedy=remedy)

    def _misspelled(self, unit: Token) -> NoReturn:
        place = unit.start, unit.stop
        if unit.text.lower() in _NO_UNITS:
            problem = f"{unit.text} is no unit: months and years have no fixed length"
            self.fail(problem, f"write days or weeks, such as 30 DAYS; {_UNITS}", place)
        meant = did_you_mean(unit.text.lower(), UNITS)
        self.fail(f"expected a unit, got {unit.text!r}", meant.strip() or _UNITS, place)

    def _refuse_no_number(self) -> None:
        """Refuse a duration that does not begin with a number."""
        if self.next.is_symbol("-"):
            number, unit = self.ahead(), self.ahead(2)
            written = f"{number.text} {unit.text}" if unit.kind == "word" and _is_unit(unit) else number.text
            self.fail("a duration is not negative", f"leave the sign out: {written}")
        if self.next.kind != "number":
            self.expected(_DURATION, remedy="write a number and a unit, such as 30 MINUTES or 1.5 HOURS")


def _is_unit(token: Token) -> bool:
    return token.text.lower() in UNITS


def _is_misspelled_unit(token: Token) -> bool:
    """Whether a word after a number can only be a unit: no clause goes on with it."""
    return token.kind == "word" and token.text.upper() not in CLAUSES


def _exact(number: Decimal) -> Decimal:
    """Return a number in one form: 1E+1 and 10.0 are 10."""
    plain = number.normalize()
    return (
        plain.quantize(Decimal(1)) if plain == plain.to_integral() and abs(plain.adjusted()) < _DIGITS // 2 else plain
    )
