"""Advice about the rows of one stream: the contract runs over them, constants are counted from what rows need."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.advice.measured import Facts, advice_of
from slackwater.advice.needed import Needed
from slackwater.advice.result import Curve, Part, Policy
from slackwater.advice.spark_delay import spark_delay_needed
from slackwater.advice.waits import mean_waits, slack_path, waits, without_silences
from slackwater.api import reorder, stream
from slackwater.control.choose import controller_for
from slackwater.core.arrivals import Arrivals
from slackwater.core.event_needs import slack_needed
from slackwater.disorder.text import span
from slackwater.errors import DatasetError
from slackwater.events import Events
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.advice.result import Advice, Kind
    from slackwater.advice.snippet import Query
    from slackwater.advice.wish import Wish
    from slackwater.contracts import Contract
    from slackwater.disorder.collected import Collected
    from slackwater.disorder.result import DisorderProfile
    from slackwater.estimate.arrays import Floats
    from slackwater.time import Mask, Times


@dataclass(frozen=True)
class Sample:
    """The rows of a stream as they arrived."""

    arrivals: Arrivals

    @classmethod
    def of(cls, times: Times, arrivals: Times | None) -> Sample:
        """Let them arrive."""
        return cls(Arrivals.after(None, Events.of(times, arrival=arrivals)))

    @cached_property
    def clock(self) -> Times:
        """The clock when each row had come."""
        return self.arrivals.per_event(self.arrivals.clock)

    @cached_property
    def needed(self) -> Needed:
        """The slack with which each row is not late, exactly."""
        return Needed.of(self.clock, slack_needed(self.arrivals))

    @cached_property
    def spark_needed(self) -> Needed:
        """The delay of Spark's watermark with which each row is not dropped, were each a batch of its own."""
        before = self.arrivals.per_event(self.arrivals.before)
        return Needed.of(self.clock, spark_delay_needed(self.arrivals.events.time, before))

    def constant(self, kind: Kind, slack: int, wish: Wish, needed: Needed | None = None) -> Policy:
        """Measure a constant slack; `needed` says what it takes, if it is not our buffer that waits."""
        needed = needed or self.needed
        return self._policy(kind, wish, slack, slack, needed.slack > slack)

    def under(self, contract: Contract, wish: Wish) -> Policy:
        """Run a contract over the rows, and measure it."""
        events = self.arrivals.events
        columns: Any = {"time": events.time, "row": np.arange(len(events)), "arrival": events.arrival}
        rows = stream(pa.table(columns), event_time="time", unit="us", arrival="arrival", max_ahead=None)
        out = reorder(rows, contract=contract)
        late = np.zeros(len(events), np.bool_)
        late[out.late["row"].to_numpy()] = True
        path = controller_for(contract).slack_path(self.arrivals.largest_delay)
        if path is None:
            at, slack = out.decisions["at"].cast(pa.int64()).to_numpy(), out.decisions["slack"].to_numpy()
            path = slack_path(self.arrivals, at, slack)
        return self._policy("contract", wish, self._average(path, wish), path, late)

    def curve(self, wish: Wish) -> Curve:
        """Measure all constant slacks."""
        slack, missed = self.needed.curve()
        return Curve(slack, missed, None, None, self._mean_waits(slack, wish))

    def mean_limit(self, limit: int, wish: Wish) -> int:
        """Return the longest constant slack, in whole ms, with which rows wait no longer than the limit on average."""
        slacks = range(0, limit + self.needed.largest + 1, 1_000)
        longer = bisect_right(slacks, limit, key=lambda slack: self._mean_waits(np.array([slack]), wish)[0])
        return slacks[longer - 1]

    def _mean_waits(self, slacks: Times, wish: Wish) -> Floats:
        clock = without_silences(self.arrivals.clock, wish.period)
        return mean_waits(self.arrivals, self.needed.slack, slacks, clock)

    def _average(self, path: Times, wish: Wish) -> float:
        """Average a slack over event time."""
        clock = without_silences(self.arrivals.clock, wish.period)
        moved = np.diff(clock, prepend=clock[:1])
        return float(np.average(path, weights=moved)) if moved.any() else float(np.mean(path))

    def _policy(self, kind: Kind, wish: Wish, slack: float, path: Times | int, late: Mask) -> Policy:
        shares = Needed.of(self.clock, late.astype(np.int64)).periods(wish.period, wish.every).missed(0)
        clock = without_silences(self.arrivals.clock, wish.period)
        waited = waits(self.arrivals, path, late, clock)
        length = max(int(clock[-1] - clock[0]), 1)
        return Policy(
            kind=kind,
            slack=slack,
            missed=float(late.mean()),
            worst=float(shares.max()) if len(shares) else None,
            kept=wish.kept(shares),
            mean_wait=float(waited.mean()) if len(waited) else 0.0,
            held=float(waited.sum() / length),
        )


def advise_rows(profile: DisorderProfile, collected: Collected, wish: Wish, query: Query) -> Advice:
    """Run the wish over the rows that were collected, and compare it with constants."""
    sample = Sample.of(collected.times, collected.arrivals)
    if not sample.arrivals.steps:
        problem = "has no row with a usable event time" if profile.rows else "has no rows"
        raise DatasetError(profile.subject.source, problem=problem, remedy="give a sample of the stream")

    def measure(kind: Kind, slack: int, of: Needed | None = None) -> Policy:
        return sample.constant(kind, slack, wish, of)

    facts = Facts(
        source=profile.subject.source,
        what="rows",
        rows=profile.rows,
        needed=sample.needed,
        spark_needed=sample.spark_needed,
        contract=sample.under(wish.contract, wish),
        measure=measure,
        curve=sample.curve(wish),
        mean_limit=None if wish.limit is None else sample.mean_limit(wish.limit, wish),
        warnings=profile.suspicions,
        notes=_notes(profile, wish),
    )
    return advice_of(facts, wish, query, parts=lambda slack: _parts(profile, slack))


def _notes(profile: DisorderProfile, wish: Wish) -> tuple[str, ...]:
    left_out = profile.nulls + profile.future
    said = [f"{left_out:,} rows without a usable event time are left out."] if left_out else []
    said.append("Waits are in event time: how far the clock moves while a row is held.")
    if profile.gaps and (gap := profile.gaps[0].end - profile.gaps[0].start) > wish.period:
        said.append(f"The clock jumps by up to {span(gap)}; of a silence, only as much as a period counts as a wait.")
    return tuple(said)


def _parts(profile: DisorderProfile, slack: int) -> tuple[Part, ...]:
    found = []
    for column, parts in ((profile.subject.stream, profile.streams), (profile.subject.by, profile.keys)):
        for each in parts if column is not None else ():
            share = each.behind.share_late(Duration(slack))
            if share is not None:
                found.append(Part(str(column), "(null)" if each.name is None else each.name, each.events, share))
    return tuple(sorted(found, key=lambda part: (-part.missed, -part.events)))
