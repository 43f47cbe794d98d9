"""Every exception of slackwater: one root, fields instead of prose to parse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slackwater.wording import did_you_mean, printable, time_in_words

if TYPE_CHECKING:
    from collections.abc import Sequence


class SlackwaterError(Exception):
    """Root of all errors that slackwater raises on purpose."""

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by fields: the constructors take keywords, which Exception's own way would lose."""
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[SlackwaterError], args: tuple[object, ...], fields: dict[str, object]) -> SlackwaterError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


class ParameterError(SlackwaterError, ValueError):
    """A parameter has a value that cannot work.

    >>> str(ParameterError("slack", -5, must="be >= 0", remedy="use NoSlack() to disable reordering"))
    'slack must be >= 0, got -5; use NoSlack() to disable reordering'
    """

    def __init__(self, parameter: str, value: object, *, must: str, remedy: str) -> None:
        super().__init__(parameter, value, must, remedy)
        self.parameter = parameter
        self.value = value
        self.must = must
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.parameter} must {self.must}, got {self.value!r}; {self.remedy}"


class ColumnError(SlackwaterError, ValueError):
    """A stream lacks a column, or the column has a type that cannot serve.

    >>> str(ColumnError("bus", "ts", problem="does not exist", remedy="columns are: time, line"))
    "stream 'bus': column 'ts' does not exist; columns are: time, line"
    """

    def __init__(self, stream: str, column: str, *, problem: str, remedy: str) -> None:
        super().__init__(stream, column, problem, remedy)
        self.stream = stream
        self.column = column
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"stream {self.stream!r}: column {self.column!r} {self.problem}; {self.remedy}"


def missing_column(stream: str, column: str, columns: Sequence[str]) -> ColumnError:
    """Return the error for a column that a stream does not have.

    >>> missing_column("bus", "Time", ["time", "line"]).remedy
    'did you mean time? columns are: time, line'
    """
    remedy = f"{did_you_mean(column, columns)}columns are: {', '.join(columns)}"
    return ColumnError(stream, column, problem="does not exist", remedy=remedy)


_RECALL = '  contract=sw.Recall(0.99, over="1 minute")       miss at most one result in 100, in every minute\n'
_ERROR = "  contract=sw.RelativeError(0.03)                 95 % of the results at most 3 % off\n"
_DROP = '  contract=sw.DropRatio(0.01, over="1 minute")    let at most one row in 100 come too late, in every minute\n'


class ContractMissingError(SlackwaterError, TypeError):
    """An operator was called without a contract: there is no silent default."""

    def __init__(self, operator: str) -> None:
        super().__init__(operator)
        self.operator = operator

    def __str__(self) -> str:
        return (
            f"{self.operator} needs a contract: how good must the answer be? For example\n"
            f"{ {'join': _RECALL, 'aggregate': _ERROR}.get(self.operator, _DROP) }"
            '  contract=sw.FixedSlack("2 seconds")             wait two seconds of event time for stragglers\n'
            '  contract=sw.MaxSlack(cap="30 seconds")          the largest delay seen, but never longer than this'
        )


class LateEventError(SlackwaterError):
    """An event could not be used in time and the late policy is to raise."""

    def __init__(self, *, stream: str, reason: str, event_time: int | None, late_by: int | None) -> None:
        super().__init__(stream, reason, event_time, late_by)
        self.stream = stream
        self.reason = reason
        self.event_time = event_time
        self.late_by = late_by

    def __str__(self) -> str:
        by = "" if self.late_by is None else f", late by {self.late_by} us"
        remedies = {"null_time": "leave rows without a time out", "future": "raise max_ahead if the clock is right"}
        remedies["punctuation"] = "let punctuations come after what they promise"
        return (
            f"stream {self.stream!r}: an event with event_time {time_in_words(self.event_time)} could not be used, "
            f'reason {self.reason}{by}; {remedies.get(self.reason, "allow more slack")}, or use late="side"'
        )


class GateFullError(SlackwaterError, RuntimeError):
    """A reader of a gate does not read, and no more is kept for it.

    >>> str(GateFullError(reader=1, unread=11, most=10))
    'reader 1 would have 11 unread events, at most 10 are kept; let it read first, or close_reader(1)'
    """

    def __init__(self, *, reader: int, unread: int, most: int) -> None:
        super().__init__(reader, unread, most)
        self.reader = reader
        self.unread = unread
        self.most = most

    def __str__(self) -> str:
        return (
            f"reader {self.reader} would have {self.unread} unread events, at most {self.most} are kept; "
            f"let it read first, or close_reader({self.reader})"
        )


_WIDEST, _BEFORE = 200, 120  # characters of a line that are shown, and of these before the place


class SqlError(SlackwaterError, ValueError):
    r"""A text in SQL cannot be understood, or asks for what cannot be done; `str()` shows the place.

    >>> print(SqlError("SELECT *\nFORM bus", start=9, stop=13, problem="expected FROM", remedy="did you mean FROM?"))
    line 2, column 1: expected FROM
      FORM bus
      ^^^^
    did you mean FROM?
    """

    def __init__(self, text: str, *, start: int, stop: int, problem: str, remedy: str = "") -> None:
        super().__init__(text, start, stop, problem, remedy)
        self.text = text
        self.start = start
        self.stop = stop
        self.problem = problem
        self.remedy = remedy

    @property
    def line(self) -> int:
        """The line, from 1."""
        return self.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        """The column, from 1."""
        return self.start - self.text.rfind("\n", 0, self.start)

    def __str__(self) -> str:
        line = printable(self.text[self.start - self.column + 1 :].split("\n", 1)[0])
        before = max(0, self.column - 1 - _BEFORE)  # of a long line, what is around the place is shown
        shown = line[before : before + _WIDEST]
        offset = self.column - 1 - before
        marks = "^" * max(1, min(self.stop - self.start, len(shown) - offset))
        place = f"line {self.line}, column {self.column}: {self.problem}"
        return "\n".join([place, f"  {shown}", f"  {' ' * offset}{marks}", *filter(None, [self.remedy])])


class ConditionError(SlackwaterError, ValueError):
    """A condition could not be evaluated for some rows.

    >>> str(ConditionError("bus.a % bus.b = 0", problem="division by zero", remedy="leave such rows out"))
    "condition 'bus.a % bus.b = 0' failed: division by zero; leave such rows out"
    """

    def __init__(self, condition: str, *, problem: str, remedy: str) -> None:
        super().__init__(condition, problem, remedy)
        self.condition = condition
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"condition {self.condition!r} failed: {self.problem}; {self.remedy}"


class StateError(SlackwaterError):
    """Saved state cannot be used by this version of slackwater, or for this plan.

    >>> str(StateError("format version 9", expected="1", remedy="start from a new checkpoint"))
    'state has format version 9, expected 1; start from a new checkpoint'
    """

    def __init__(self, found: str, *, expected: str, remedy: str) -> None:
        super().__init__(found, expected, remedy)
        self.found = found
        self.expected = expected
        self.remedy = remedy

    def __str__(self) -> str:
        return f"state has {self.found}, expected {self.expected}; {self.remedy}"


class AnotherQueryError(StateError):
    """Saved state is that of a query which this one is not.

    >>> str(AnotherQueryError("been begun with buckets = 2", expected="buckets = 4", remedy="change buckets back"))
    'state has been begun with buckets = 2, this query has buckets = 4; change buckets back'
    """

    def __str__(self) -> str:
        return f"state has {self.found}, this query has {self.expected}; {self.remedy}"


class ReplayError(SlackwaterError):
    """A batch that came again after a crash has other rows than before: the source does not repeat what it gave.

    >>> str(ReplayError(7, before={"bus": 300}, now={"bus": 299}, file="input.json")).split("; ")[0]
    'batch 7 came again with other rows: before bus 300, now bus 299'
    """

    def __init__(self, batch: int, *, before: dict[str, int], now: dict[str, int], file: str) -> None:
        super().__init__(batch, before, now, file)
        self.batch = batch
        self.before = before
        self.now = now
        self.file = file

    def __str__(self) -> str:
        before, now = (", ".join(f"{name} {rows}" for name, rows in each.items()) for each in (self.before, self.now))
        same = " as many, but with other event times or arrivals" if before == now else ""
        return (
            f"batch {self.batch} came again with other rows: before {before}, now {now}{same}; "
            "let the source give again what it gave for these offsets, "
            f"or delete {self.file} to go on with what it gives now"
        )


class AccountingError(SlackwaterError):
    """An invariant broke: arrived = released + late + buffered does not hold. Always a bug of ours."""

    def __init__(self, *, arrived: int, released: int, late: int, buffered: int) -> None:
        super().__init__(arrived, released, late, buffered)
        self.arrived = arrived
        self.released = released
        self.late = late
        self.buffered = buffered

    def __str__(self) -> str:
        return (
            f"arrived {self.arrived} != released {self.released} + late {self.late} + buffered {self.buffered}; "
            "please report this with the data that caused it"
        )


class InvariantError(SlackwaterError):
    """What must hold after every batch does not. Always a bug of ours, or of the machine; nothing is written.

    >>> str(InvariantError("the clock of bus", found="4", expected="9 or later"))
    'the clock of bus is 4, expected 9 or later; nothing of this batch was written: please report it with its data'
    """

    def __init__(self, what: str, *, found: str, expected: str) -> None:
        super().__init__(what, found, expected)
        self.what = what
        self.found = found
        self.expected = expected

    def __str__(self) -> str:
        return (
            f"{self.what} is {self.found}, expected {self.expected}; "
            "nothing of this batch was written: please report it with its data"
        )


class SessionError(SlackwaterError, RuntimeError):
    """A Spark session lacks a setting that slackwater needs.

    >>> str(SessionError("spark.x", found="1", needed="2"))
    "this Spark session has spark.x = '1', slackwater needs '2'; set it, or build the session with sw.session()"
    """

    def __init__(self, setting: str, *, found: str | None, needed: str) -> None:
        super().__init__(setting, found, needed)
        self.setting = setting
        self.found = found
        self.needed = needed

    def __str__(self) -> str:
        return (
            f"this Spark session has {self.setting} = {self.found!r}, slackwater needs {self.needed!r}; "
            "set it, or build the session with sw.session()"
        )


class DatasetError(SlackwaterError):
    """A dataset cannot be found or read."""

    def __init__(self, name: str, *, problem: str, remedy: str) -> None:
        super().__init__(name, problem, remedy)
        self.name = name
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"dataset {self.name!r} {self.problem}; {self.remedy}"


class QueryError(SlackwaterError, RuntimeError):
    """A running query has failed.

    >>> str(QueryError("query 1", problem="no space left on device", remedy="make room"))
    'query 1 failed: no space left on device; make room'
    """

    def __init__(self, name: str, *, problem: str, remedy: str) -> None:
        super().__init__(name, problem, remedy)
        self.name = name
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.name} failed: {self.problem}; {self.remedy}"


class JavaError(SlackwaterError, RuntimeError):
    """Spark needs a Java that is not there.

    >>> str(JavaError(found="11"))
    'Spark needs Java 17 or newer, found 11; install it (Debian: openjdk-17-jre-headless) or set JAVA_HOME'
    """

    def __init__(self, *, found: str) -> None:
        super().__init__(found)
        self.found = found

    def __str__(self) -> str:
        return (
            f"Spark needs Java 17 or newer, found {self.found}; "
            "install it (Debian: openjdk-17-jre-headless) or set JAVA_HOME"
        )


class PrepareError(SlackwaterError, RuntimeError):
    """What sessions start sooner with could not be made; they start without it.

    >>> str(PrepareError("Java wrote no archive of classes", remedy="use another Java"))
    'cannot prepare: Java wrote no archive of classes; use another Java. Sessions start without it, only later'
    """

    def __init__(self, reason: str, *, remedy: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy

    def __str__(self) -> str:
        return f"cannot prepare: {self.reason}; {self.remedy}. Sessions start without it, only later"


class MissingExtraError(SlackwaterError, ImportError):
    """A part needs a package that only an extra of slackwater installs.

    >>> str(MissingExtraError("otel", needed="opentelemetry"))
    "opentelemetry is not installed; pip install 'slackwater[otel]'"
    """

    def __init__(self, extra: str, *, needed: str) -> None:
        super().__init__(extra, needed)
        self.extra = extra
        self.needed = needed

    def __str__(self) -> str:
        return f"{self.needed} is not installed; pip install 'slackwater[{self.extra}]'"
