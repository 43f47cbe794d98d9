"""What is wished for, in numbers: it is stated as a contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.contracts import Contract, DropRatio, FixedSlack, MaxSlack, PerPeriod, Recall
from slackwater.errors import ParameterError
from slackwater.quality.recall import NEARLY
from slackwater.time import Duration, DurationLike

if TYPE_CHECKING:
    from slackwater.estimate.arrays import Floats

MEASURED_PER_PERIOD = 10  # so often is a period measured, or at every decision if these are further apart
_ROUNDING = 1e-9  # 0.07 * 100 is above 7 in floating point, and 7 of 100 must be allowed


@dataclass(frozen=True)
class Wish:
    """A contract, and what it allows. Durations are in us."""

    contract: Contract
    allowed: float | None  # the share of rows or results that may be missed; None where only a latency is wished for
    in_period: float | None  # the same for a period to count as kept: a recall counts from 99 % of its target on
    limit: int | None  # the longest wait
    period: int

    @classmethod
    def of(cls, contract: object, over: DurationLike = "1 minute") -> Wish:
        """Read a wish from a contract; `over` is the period where the contract has none.

        >>> wish = Wish.of(DropRatio(0.005, cap="10 seconds"))
        >>> wish.allowed, wish.in_period, wish.limit, wish.period
        (0.005, 0.005, 10000000, 60000000)
        """
        if isinstance(contract, FixedSlack) and not contract.by_stream:
            limit: Duration | None = contract.slack
        elif isinstance(contract, PerPeriod | MaxSlack):
            limit = contract.longest_wait
        else:
            raise _no_wish(contract)
        if not isinstance(contract, PerPeriod):
            if limit is None:
                raise _no_wish(contract)
            return cls(contract, None, None, limit.microseconds, Duration.of(over, parameter="over").microseconds)
        quality = float(contract.quality or 0.0)
        exact = isinstance(contract, DropRatio) or quality == 1
        in_period = contract.target if isinstance(contract, DropRatio) else 1 - quality * (1 if exact else NEARLY)
        allowed = contract.target if isinstance(contract, DropRatio) else 1 - quality
        return cls(
            contract, allowed, in_period, None if limit is None else limit.microseconds, contract.period.microseconds
        )

    @property
    def every(self) -> int:
        """How far measurements of a period are apart."""
        return max(min(self.contract.interval.microseconds, self.period), self.period // MEASURED_PER_PERIOD)

    def kept(self, missed: Floats) -> float | None:
        """Return the share of periods that keep the wish; None where there is no wish about them, or no period."""
        if self.in_period is None or not len(missed):
            return None
        return float(np.mean(missed <= self.in_period + _ROUNDING))

    def sentence(self, what: str) -> str:
        """Say the wish in words; `what` may be missed."""
        contract, parts = self.contract, []
        if isinstance(contract, Recall):
            parts.append(f"{contract.target:.6g} of the {what}, {_every(contract.period)}")
        elif isinstance(contract, DropRatio):
            parts.append(f"at most {percent(contract.target)} of the {what} late, {_every(contract.period)}")
        if self.limit is not None:
            parts.append(f"no wait longer than {Duration(self.limit)}")
        return ", ".join(parts)


def percent(share: float) -> str:
    """Write a share for people, never as 0 % or 100 % when it is not.

    >>> percent(0.005), percent(0), percent(0.00012), percent(0.38443), percent(1)
    ('0.5%', '0%', '0.012%', '38.4%', '100%')
    """
    value = 100 * share
    return f"{value:.3g}%" if value < 99.95 else f"{value:.6g}%"


def _every(period: Duration) -> str:
    """Say "in every minute", not "in every 1 minute"."""
    return f"in every {str(period).removeprefix('1 ')}"


def _no_wish(contract: object) -> ParameterError:
    return ParameterError(
        "contract",
        contract,
        must="say what is wished for",
        remedy='such as sw.DropRatio(0.005), sw.Recall(0.99) for a join, or sw.MaxSlack(cap="10 seconds")',
    )
