"""What an advice says: a frozen value that prints as text and converts to JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from slackwater.advice import text
from slackwater.as_json import AsJson
from slackwater.displayed import Displayed, text_block
from slackwater.plan.contract_text import contract_text

if TYPE_CHECKING:
    from slackwater.advice.bootstrap import Interval
    from slackwater.advice.enough import Enough
    from slackwater.contracts import Contract
    from slackwater.estimate.arrays import Floats
    from slackwater.time import Times

Kind: TypeAlias = Literal["contract", "every_period", "as_often", "overall", "limit", "mean_limit", "spark"]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """One way to wait, and what it gives and costs on the sample. Durations are in us of event time."""

    kind: Kind
    slack: float  # constant, or the average of the contract
    missed: float  # the share of rows that are late, or of results that are not produced
    worst: float | None  # the largest share missed in a period; None without a whole period
    kept: float | None  # the share of the periods that keep the wish
    mean_wait: float | None = None  # of a row in the buffer; None where it was not measured
    held: float | None = None  # rows in the buffer, on average


@dataclass(frozen=True, eq=False)
class Curve:
    """What every constant slack (us) would miss, where that share lies, and how long rows would wait."""

    slack: Times
    missed: Floats
    low: Floats | None  # None where the sample is too short to say
    high: Floats | None
    mean_wait: Floats | None


@dataclass(frozen=True)
class Part:
    """The events of one key or stream: what the contract's own fixed slack would make late of them."""

    column: str
    name: str
    events: int
    missed: float


@dataclass(frozen=True, kw_only=True)
class Advice(Displayed, AsJson):
    """What to write for a wish, and what it gives and costs. Made by `sw.advise`.

    `policies` begins with the contract as it ran over the sample; the others are constants that are known in hindsight
    alone. `spark` is the smallest delay of Spark's own watermark for the same wish. Intervals are of 95 %.
    """

    source: str
    what: Literal["rows", "results"]
    rows: int
    total: float  # rows with a usable time, or results
    length: int  # of the sample in us of event time
    period: int
    contract: Contract
    wish: str
    allowed: float | None  # the share that may be missed; None where the wish is a latency alone
    policies: tuple[Policy, ...]
    spark: Policy | None
    spark_code: str
    slack_interval: Interval | None  # of the smallest constant slack that keeps the wish over all
    missed_interval: Interval | None  # of the share that this slack, or the limit, misses
    curve: Curve
    enough: Enough | None
    parts: tuple[Part, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    code: str = ""  # the contract
    snippet: str = ""
    spark_snippet: str = ""

    def policy(self, kind: Kind) -> Policy | None:
        """Return the policy of a kind, if there is one."""
        return next((each for each in self.policies if each.kind == kind), None)

    def table(self, *, on_spark: bool = False) -> str:
        """Return the advice as text for a terminal, with the code to run it in process or on Spark."""
        return text.table_of(self, on_spark=on_spark)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as values that JSON can hold; durations in us."""
        plain = ("source", "what", "rows", "total", "wish", "allowed", "code", "spark_code", "snippet", "spark_snippet")
        return {
            **{name: getattr(self, name) for name in plain},
            "length_us": self.length,
            "period_us": self.period,
            "contract": _text_of(self.contract),
            "policies": [_policy(each) for each in self.policies],
            "spark": None if self.spark is None else _policy(self.spark),
            "slack_interval_us": _interval(self.slack_interval),
            "missed_interval": _interval(self.missed_interval),
            "curve": self._points(),
            "enough": None if self.enough is None else {**asdict(self.enough), "is_enough": self.enough.is_enough},
            "parts": [asdict(each) for each in self.parts],
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return f"<Advice for {self.source}: {self.code}>"

    def __str__(self) -> str:
        return self.table()

    def _shown(self) -> Iterable[str]:
        yield text_block(self.table())

    def _points(self) -> dict[str, list[float] | None]:
        curve = self.curve
        named = {"slack_us": curve.slack, "missed": curve.missed, "low": curve.low, "high": curve.high}
        columns = {**named, "mean_wait_us": curve.mean_wait}
        return {name: None if column is None else column.tolist() for name, column in columns.items()}


def _text_of(contract: Contract) -> str:
    """Return the contract as text; its repr where it has none, such as with a controller of one's own."""
    try:
        return contract_text(contract)
    except ValueError:
        return repr(contract)


def _policy(policy: Policy) -> dict[str, Any]:
    found = asdict(policy)
    return {f"{name}_us" if name in ("slack", "mean_wait") else name: value for name, value in found.items()}


def _interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]
