"""Audits contracts: in how many periods each was kept, and whether `decisions` said so where it was not.

Periods do not overlap, so that their number says how sure a share is. A violated period is *admitted* if a decision
from its beginning to one period past its end has an expected or a measured quality that is worse than the target:
what came too late can only be known once it has come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.api import reorder
from slackwater.contracts import DropRatio, Recall, RelativeError
from slackwater.control import DeadlineSlack
from slackwater.control.operator_model import TunedOperator
from slackwater.errors import DatasetError
from slackwater.experiments.deadline import policy_for
from slackwater.experiments.event_stream import SETTINGS as STREAMS
from slackwater.experiments.event_stream import stream_of_dataset
from slackwater.experiments.gate_run import OPERATOR, GateRun
from slackwater.experiments.gate_run import SETTINGS as GATES
from slackwater.experiments.queries import QUERIES
from slackwater.experiments.replay import Replay
from slackwater.experiments.subject import subject_of_dataset
from slackwater.experiments.window_stream import SETTINGS as WINDOWS
from slackwater.experiments.window_stream import windows_of_dataset
from slackwater.plan.contract_text import contract_text
from slackwater.quality.drop_ratio import dropped_by_period
from slackwater.quality.share import wilson
from slackwater.sources.catalog import load
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.contracts import Contract
    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows
    from slackwater.time import Mask, Times

_ROUNDING = 1e-9
NEARLY = 0.99  # a recall counts as kept from this share of its target on, as JI16 has it


@dataclass(frozen=True, slots=True)
class Said:
    """What decisions said about quality, and when; shares that are to be large. nan where they did not know."""

    at: Times
    estimated: Floats
    measured: Floats

    def lowest(self, start: int, stop: int) -> float:
        """Return the worst that a decision in a stretch of time says; 1 where none knows anything."""
        there = (self.at >= start) & (self.at <= stop)
        return float(np.nanmin([1.0, *self.estimated[there], *self.measured[there]]))


@dataclass(frozen=True, slots=True)
class Hidden:
    """A violated period that no decision admits."""

    end: int  # us
    quality: float
    said: float  # the worst that decisions say around it
    size: int  # how many results or events it has


@dataclass(frozen=True, slots=True)
class Audited:
    """A contract on a set: how its periods ended, and what was said about those that were not kept."""

    contract: str
    set: str
    periods: int
    kept: int
    lowest: float  # 95 % interval of the share kept
    highest: float
    worst: float  # the lowest quality of a period
    admitted: int
    hidden: tuple[Hidden, ...]

    @property
    def violated(self) -> int:
        """How many periods were not kept."""
        return self.periods - self.kept

    def figures(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return {**asdict(self), "violated": self.violated}


@dataclass(frozen=True, slots=True)
class Periods:
    """Periods that do not overlap: when each ends, how good it was, of how many results or events."""

    ends: Times
    quality: Floats
    size: Rows
    length: int

    def audited(self, contract: Contract, name: str, said: Said, *, target: float, least: float) -> Audited:
        """Audit them: kept are those whose quality is `least` or more.

        >>> said = Said(np.array([10, 20]), np.array([np.nan, 0.99]), np.array([0.8, 0.99]))
        >>> periods = Periods(np.array([10, 30]), np.array([0.8, 0.5]), np.array([5, 6]), length=5)
        >>> found = periods.audited(DropRatio(0.1), "s", said, target=0.9, least=0.9)
        >>> found.kept, found.admitted, found.hidden
        (0, 1, (Hidden(end=30, quality=0.5, said=1.0, size=6),))
        """
        kept = self.quality >= least - _ROUNDING
        violated = [self._hidden(place, said) for place in np.flatnonzero(~kept).tolist()]
        hidden = tuple(each for each in violated if each.said >= target - _ROUNDING)
        low, high = wilson(int(kept.sum()), len(kept))
        worst = float(self.quality.min()) if len(kept) else 1.0
        counts = (len(kept), int(kept.sum()))
        return Audited(contract_text(contract), name, *counts, low, high, worst, len(violated) - len(hidden), hidden)

    def _hidden(self, place: int, said: Said) -> Hidden:
        end = int(self.ends[place])
        lowest = said.lowest(end - self.length, end + self.length)
        return Hidden(end, float(self.quality[place]), lowest, int(self.size[place]))


def audit_recall(name: str, target: float, duration: str | None = None, *, seed: int = 1) -> Audited:
    """Audit the recall of a set's join."""
    query = QUERIES[name]
    contract = Recall(target, over=query.period, adaptation_interval=query.adaptation_interval)
    period = contract.period.microseconds
    found = Replay(subject_of_dataset(name, seed=seed, duration=duration)).measure(contract, period)
    chosen = found.counts & (found.true > 0)
    chosen[chosen] = apart(found.watermark[chosen], period)
    said = Said(found.at, found.estimated, found.measured)
    periods = Periods(found.at[chosen], found.recall[chosen], found.true[chosen], period)
    return periods.audited(contract, name, said, target=target, least=NEARLY * target)


def audit_drops(name: str, target: float, duration: str | None = None, *, seed: int = 1) -> Audited:
    """Audit the drop ratio of a set's stream, put in order."""
    setting = STREAMS[name]
    contract = DropRatio(target, over=setting.period, adaptation_interval=setting.every)
    period = contract.period.microseconds
    stream = stream_of_dataset(name, seed=seed, duration=duration)
    out = reorder(stream.as_stream(), contract=contract)
    late = np.zeros(stream.rows, np.bool_)
    late[out.late["row"].to_numpy()] = True
    said = _said(out.decisions[:-1])
    ends = said.at[said.at >= stream.clock[0] + period]
    ends = ends[apart(ends, period)]
    quality = 1 - dropped_by_period(ends, stream.clock, late, period)
    came = np.searchsorted(stream.clock, ends) - np.searchsorted(stream.clock, ends - period)
    kept = Said(said.at, 1 - said.estimated, 1 - said.measured)
    return Periods(ends, quality, came, period).audited(contract, name, kept, target=1 - target, least=1 - target)


def audit_errors(name: str, bound: float, duration: str | None = None, *, seed: int = 1) -> Audited:
    """Audit the relative error of a set's windows. It promises a share of all results: the run is one period.

    The interval is that of the share of results within the bound, which is the quality.
    """
    stream = windows_of_dataset(name, seed=seed, duration=duration)
    contract = RelativeError(bound, adaptation_interval=stream.every)
    emitted = stream.run(contract)
    end, within = stream.ends(stream.truth.place), stream.errors(emitted.windows, contract) <= bound + _ROUNDING
    first, last = int(end.min()), int(end.max())
    share = np.array([within.mean()])
    periods = Periods(np.array([last]), share, np.array([len(within)]), last - first)
    said = Said(emitted.at, emitted.estimated, emitted.measured)
    found = periods.audited(contract, name, said, target=contract.confidence, least=contract.confidence)
    low, high = wilson(int(within.sum()), len(within))
    return replace(found, lowest=low, highest=high)


def audit_deadline(name: str, share: float, duration: str | None = None, *, seed: int = 1) -> Audited:
    """Audit a deadline of a set's streams, merged as processing time goes by; `share` is that of the usual limit.

    A period is an interval between decisions, its quality the limit over the longest latency of an event that left in
    it. What a gate reports is that latency itself.
    """
    setting = GATES[name]
    usual = setting.contract()
    limit = max(int(share * usual.limit.microseconds), 3 * usual.latency.microseconds)
    contract = setting.contract(str(Duration(limit)))
    policy = policy_for((TunedOperator(OPERATOR),), DeadlineSlack(), contract)
    ran = GateRun(load(name, seed=seed, duration=duration), setting, contract, policy).run()
    some = ran.latency > 0
    quality = contract.limit.microseconds / ran.latency[some]
    said = Said(ran.at[some], np.full(len(quality), np.nan), quality)
    periods = Periods(ran.at[some], quality, ran.left[some], setting.interval.microseconds)
    return periods.audited(contract, name, said, target=1.0, least=1.0)


def apart(times: Times, period: int) -> Mask:
    """Return which of ascending times to take so that they are a period apart.

    >>> apart(np.array([0, 3, 5, 9, 12]), 5).tolist()
    [True, False, True, False, True]
    """
    chosen, place = np.zeros(len(times), np.bool_), 0
    while place < len(times):
        chosen[place] = True
        place = int(np.searchsorted(times, times[place] + period, side="left"))
    return chosen


def _said(decisions: pa.Table) -> Said:
    estimated, measured = (decisions[name].to_numpy().astype(np.float64) for name in ("estimated", "measured"))
    return Said(decisions["at"].cast(pa.int64()).to_numpy(), estimated, measured)


AUDITS: Mapping[str, tuple[Callable[..., Audited], tuple[str, ...], tuple[float, ...]]] = {
    "recall": (audit_recall, tuple(QUERIES), (0.9, 0.99)),
    "drop": (audit_drops, tuple(name for name in STREAMS if name != "poisson"), (0.01, 0.001)),
    "error": (audit_errors, tuple(WINDOWS), (0.03,)),
    "deadline": (audit_deadline, tuple(GATES), (1.0, 0.5)),
}
SHORT = {"nezha": "1 hour", "flights": "180 days", "umts": "1 hour", "syn3": "10 minutes", "syn4": "10 minutes"}
SHORT |= {"soccer": "5 minutes", "freeway": "6 hours"}


def audit(kinds: tuple[str, ...] = tuple(AUDITS), *, whole: bool = False, seed: int = 1) -> Iterator[Audited]:
    """Audit every contract of these kinds on every set that is there; sets are shortened unless `whole`."""
    done: set[tuple[str, str]] = set()
    for run, name, target in _runs(kinds):
        try:
            found = run(name, target, None if whole else SHORT.get(name), seed=seed)
        except DatasetError:  # a real set that is not on this machine, or a part of one that is too short
            continue
        if (found.contract, found.set) not in done:  # two shares of a short deadline can be the same
            done.add((found.contract, found.set))
            yield found


def _runs(kinds: tuple[str, ...]) -> Iterator[tuple[Callable[..., Audited], str, float]]:
    """Return every audit of these kinds with each of its sets and targets."""
    for run, sets, targets in (AUDITS[kind] for kind in kinds):
        for name, target in product(sets, targets):
            yield run, name, target
