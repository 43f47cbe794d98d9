"""How many events a buffer has to hold so that at most a share D of them comes too late: KIM Sec. 3.2.

KIM's buffer holds the n events with the largest event times; an event earlier than all of them is dropped. Events are
generated at random, one per theta on average, and travel for Norm(mu, sigma²). All times are in one unit, any unit.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from slackwater.estimate.arrays import Floats
from slackwater.time import Times

FLOOR = 30  # events from which on KIM takes the sum of gaps between arrivals for normal
_NORMAL = NormalDist()
_MOST_EVENTS = 2**40


def critical_point(drop_ratio: float) -> float:
    """Return z(D): what a standard normal variable exceeds with probability D.

    >>> round(critical_point(0.05), 3), round(critical_point(0.01), 2)
    (1.645, 2.33)
    """
    return -_NORMAL.inv_cdf(drop_ratio)


def drop_probability(events: float, deviation: float, gap: float) -> float:
    """Return Pr(T_{n+1} < T_1), the left side of eq. 10: n events, delays that deviate by sigma, gaps of theta.

    >>> round(drop_probability(35.717, deviation=1.0, gap=0.1), 4)
    0.01
    """
    return _NORMAL.cdf(-events * gap / math.sqrt(2 * deviation**2 + events * gap**2))


def events_to_hold(drop_ratio: float, deviation: float, gap: float) -> float:
    """Return n of eq. 11 before its floor, the root of eq. 10; infinite where events come all at once (theta = 0).

    For D of a half or more nothing needs to be held; the equation, which only knows z(D)², would hold as many as for
    1 - D.

    >>> round(events_to_hold(0.01, deviation=1_000_000, gap=100)), round(events_to_hold(0.01, deviation=1, gap=0.1), 1)
    (32902, 35.7)
    """
    square = max(critical_point(drop_ratio), 0.0) ** 2
    if square == 0 or (deviation == 0 and gap == 0):
        return square
    if gap == 0:
        return math.inf
    return (square + math.sqrt(square**2 + 8 * square * (deviation / gap) ** 2)) / 2


def events_to_hold_at_high_rates(drop_ratio: float, deviation: float, gap: float) -> float:
    """Return n of eq. 12, which leaves out how much the gaps vary: good for 100 events per second and more.

    >>> round(events_to_hold_at_high_rates(0.01, deviation=1_000_000, gap=100))
    32900
    """
    z = max(critical_point(drop_ratio), 0.0)
    if z == 0 or deviation == 0:
        return 0.0
    return math.inf if gap == 0 else math.sqrt(2) * z * deviation / gap


def exact_drop_ratio(events: int, deviation: float, gap: float) -> float:
    """Return the share that a buffer of n events drops in KIM's stream model, by the condition that it really has.

    Eq. 4 compares a new event with the one that came n arrivals before. But the buffer holds the *largest* event times,
    so an event is dropped only if n events that were generated after it came before it. Of these there are Poisson
    many: for an event whose delay is x deviations above the mean, sigma / theta * g(x) on average, where g(x) = x Φ(x)
    + φ(x) is by how many deviations other delays fall short of it. And Poisson(m) reaches n if a Gamma(n) variable is
    below m, so the share is E[Pr(sigma / theta * g(X) >= Y)] over X ~ Norm(0, 1), Y ~ Gamma(n): one sum over a grid of
    Y.

    >>> round(exact_drop_ratio(26, deviation=1.0, gap=0.1), 4)
    0.0098
    """
    if deviation == 0:
        return 0.0
    if gap == 0:
        return 1.0
    reach = 12 * math.sqrt(events) + 12
    held = np.linspace(max(events - reach, 1e-9), events + reach, 4_001)
    density = np.exp((events - 1) * np.log(held) - held - math.lgamma(events))
    x = np.interp(held, deviation / gap * _MEAN_EXCESS, _DEVIATIONS)
    tail = np.interp(x, _DEVIATIONS, _TAIL)
    return min(float(np.trapezoid(density * tail, held)), 1.0)


def exact_events_to_hold(drop_ratio: float, deviation: float, gap: float) -> int:
    """Return the smallest n that drops at most D in KIM's stream model, by bisection; at least 1.

    >>> exact_events_to_hold(0.01, deviation=1.0, gap=0.1)
    26
    """
    few, enough = 0, 1
    while exact_drop_ratio(enough, deviation, gap) > drop_ratio and enough < _MOST_EVENTS:
        few, enough = enough, 2 * enough
    while enough - few > 1:
        middle = (few + enough) // 2
        if exact_drop_ratio(middle, deviation, gap) <= drop_ratio:
            enough = middle
        else:
            few = middle
    return enough


def slack_holding(span: float, delays: Times) -> float:
    """Return the slack with which a time-based buffer holds as many events as come in a span of time.

    An event with delay d is held for K - d, so by Little's law there are E[(K - d)+] / theta of them. That is convex in
    K, and for the i smallest of M delays, K = (M span + their sum) / i solves it as if no other was below K: the
    smallest of these is the solution. Events that are not there yet cannot be held, so K exceeds the span by about the
    mean delay.

    >>> slack_holding(10.0, np.array([0, 2, 4])), slack_holding(1.0, np.array([0, 0, 90]))
    (12.0, 1.5)
    """
    ascending = np.sort(delays)
    count = len(ascending)
    return float(((count * span + np.cumsum(ascending)) / np.arange(1, count + 1)).min()) if count else span


def _below(x: Floats) -> Floats:
    return np.array([0.5 * math.erfc(-value / math.sqrt(2)) for value in x.tolist()])


_DEVIATIONS: Floats = np.linspace(-9, 9, 7_201)
_TAIL = _below(-_DEVIATIONS)
_MEAN_EXCESS = np.maximum(
    _DEVIATIONS * _below(_DEVIATIONS) + np.exp(-(_DEVIATIONS**2) / 2) / math.sqrt(2 * math.pi), 0
)  # g: how far below x a standard normal variable lies, on average, counting 0 where it does not
