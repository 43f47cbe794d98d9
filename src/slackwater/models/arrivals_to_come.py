"""How many events of open windows are still to come: those that have not happened yet, and those on their way.

A slot of time has (rate) x (its share in a slide) events, of which a share is visible that depends on how far the clock
is past it (`estimate/completeness.py`). The shares of a slide's slots are learned from past slides, shrunk toward
equal ones as far as chance explains their differences. The rate is the hard part: over how long a past is it best
averaged? Several half-lives are tried on past slides, at the same point of the slide and for the same slots to come,
and weighted by how well they did: a long one where counts scatter, a short one where the rate drifts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.estimate.arrays import Floats

if TYPE_CHECKING:
    from slackwater.estimate.completeness import Completeness
    from slackwater.events import Rows
    from slackwater.time import Times

HALF_LIVES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, np.inf)  # slides
TRENDS = 5  # as many of the shortest are also extrapolated, each with the next one
USUAL = 4  # which of them, as long as none could be tried
TRIALS_HALF_LIFE = 32.0  # slides: how fast trials are forgotten
SHARPNESS = 10.0  # with which power of its error an average counts less
NEARLY_ALL = 0.98  # visible: such slots count as complete where one learns from them


@dataclass(frozen=True, slots=True)
class View:
    """The past as seen from a clock; entry j of each column is the slot j before that of the clock."""

    counts: Floats  # events that have come
    visible: Floats  # which share that is of all that will
    known: int  # how many slots there are since the first event
    per_slide: int
    phase: Rows  # which slot of its slide each one is

    @classmethod
    def at(cls, past: Completeness, clock: int) -> View:
        """Look back from a clock."""
        slots, at = past.counts.slots, past.counts.slots.position(clock)
        slot = int(at // 1)
        behind = np.arange(slots.remembered)
        counts = past.counts.between(slot - slots.remembered + 1, slot + 1)[::-1]
        since = past.counts.since
        known = 0 if since is None else min(max(slot + 1 - since, 0), slots.remembered)
        visible = past.visible(behind, part=at - slot)
        return cls(counts, visible, known, slots.per_slide, (slot - behind) % slots.per_slide)

    @property
    def settled(self) -> int:
        """The first slot from which on nearly all events have come."""
        return int(np.argmax(self.visible >= NEARLY_ALL)) if (self.visible >= NEARLY_ALL).any() else len(self.visible)


def rows_to_come(past: Completeness, clock: int, ends: Times, *, size: int, slack: int) -> Floats:
    """Return how many events are expected, besides those that have come, in windows with these ends until they close.

    O(slots remembered).

    >>> from slackwater.estimate.completeness import Completeness
    >>> from slackwater.estimate.slots import Slots
    >>> past = Completeness(Slots.of(size=160, slide=160))
    >>> past.update(np.arange(0, 1600))
    >>> rows_to_come(past, 1599, np.array([1760]), size=160, slack=0).round(-1).tolist()
    [160.0]
    """
    view = View.at(past, clock)
    if view.known <= 1:
        return np.zeros(len(ends))
    offsets, wanted = _wanted(past, view, clock, ends, size=size, slack=slack)
    if not len(offsets):  # windows that ended longer ago than anything that is remembered
        return np.zeros(len(ends))
    shares = slide_shares(view)
    expected = shares[(view.phase[0] + offsets) % view.per_slide]
    rate = _rate(view, shares, offsets, wanted.sum(axis=0), expected)
    to_come: Floats = rate * (wanted @ expected)
    return to_come


def slide_shares(view: View) -> Floats:
    """Return how the events of a slide are spread over its slots, 1 on average; all equal if chance may explain it.

    The differences between slots are shrunk by how large they are against what is left once those between slides are
    taken away too (James and Stein, with the variances of a two-way table).
    """
    k = view.per_slide
    first = view.settled + (int(view.phase[0]) - view.settled + 1) % k  # the last slot of a slide
    slides = (view.known - first) // k
    if k < 4 or slides < 4:
        return np.ones(k)
    table = view.counts[first : first + slides * k].reshape(slides, k)[:, ::-1]
    by_slide, mean = table.mean(axis=1), float(table.mean())
    trend = (by_slide[0] - by_slide[-1]) / (slides - 1) / k  # which is no difference between slots
    by_slot = table.mean(axis=0) - trend * (np.arange(k) - (k - 1) / 2)
    if mean == 0:
        return np.ones(k)
    left = table - by_slot - by_slide[:, None] + mean
    by_chance = float((left**2).sum()) / ((slides - 1) * (k - 1)) / slides
    between = float(((by_slot - mean) ** 2).sum())
    shrunk = max(0.0, 1 - (k - 3) * by_chance / between) if between else 0.0
    shares: Floats = 1 + shrunk * (by_slot / mean - 1)
    return shares


def _wanted(past: Completeness, view: View, clock: int, ends: Times, *, size: int, slack: int) -> tuple[Rows, Floats]:
    """Return slots by their offset from that of the clock, and which share of each is to come in each window."""
    slots = past.counts.slots
    own = int(slots.position(clock) // 1)
    bounds = [
        (slots.position(int(end) - size), slots.position(int(end)), slots.position(int(end) + slack)) for end in ends
    ]
    low = max(int(min(start for start, _, _ in bounds) // 1) - own, 1 - len(view.visible))
    offsets = np.arange(low, int(-(-max(end for _, end, _ in bounds) // 1)) - own)
    now = np.where(offsets > 0, 0.0, view.visible[np.clip(-offsets, 0, len(view.visible) - 1)])
    wanted = np.empty((len(bounds), len(offsets)))
    for row, (start, end, closing) in enumerate(bounds):  # windows that are open at once: a few
        number = own + offsets
        covered = np.clip(np.minimum(number + 1, end) - np.maximum(number, start), 0, 1)
        then = past.visible(int(closing // 1) - number, part=closing % 1)
        wanted[row] = covered * np.maximum(then - now, 0)
    return offsets, wanted


def _rate(view: View, shares: Floats, offsets: Rows, wanted: Floats, expected: Floats) -> float:
    """Return the rate, per slot: averages over several half-lives, weighted by how well they did on past slides."""
    depth, k = len(view.counts) // 2, view.per_slide
    weights = 0.5 ** (np.arange(depth)[:, None] / k / np.array(HALF_LIVES))
    trials = _trials(view, offsets, depth)
    seen = np.concatenate((view.counts[:depth][None], _rows(view.counts, trials * k, depth) * view.visible[:depth]))
    known = np.arange(depth) < (view.known - np.append(0, trials) * k)[:, None]
    ready = (known * (shares[view.phase[:depth]] * view.visible[:depth])) @ weights
    rates = (seen * known) @ weights / np.maximum(ready, 1e-9)
    rates = np.concatenate(
        (rates, extrapolated(rates, ahead=float(offsets @ wanted / max(wanted.sum(), 1e-9)) / k)), axis=1
    )
    if not len(trials):
        return float(rates[0, USUAL])
    came = _rows(view.counts, trials * k - offsets[-1], len(offsets))[:, ::-1] @ wanted
    wrong = (rates[1:] * float(expected @ wanted) - came[:, None]) ** 2
    error = 0.5 ** (trials / TRIALS_HALF_LIFE) @ wrong
    trust = (error / max(float(error.min()), 1e-9) + 1e-9) ** -SHARPNESS
    return float(rates[0] @ trust / trust.sum())


def extrapolated(rates: Floats, *, ahead: float) -> Floats:
    """Return where averages over two half-lives say that the rate is going, so many slides ahead; not below 0.

    An average over a half-life h is that of h / ln 2 ago, where the rate moves evenly.
    """
    lag = np.array(HALF_LIVES[: TRENDS + 1]) / np.log(2)
    slope = (rates[:, :TRENDS] - rates[:, 1 : TRENDS + 1]) / np.diff(lag)
    out: Floats = np.maximum(rates[:, :TRENDS] + slope * (lag[:-1] + ahead), 0.0)
    return out


def _trials(view: View, offsets: Rows, depth: int) -> Rows:
    """Return how many slides ago one can try: what came then is known, and there was a slide before it."""
    k = view.per_slide
    ago = np.arange(1, (len(view.counts) - depth) // k + 1)
    complete = ago * k - offsets[-1] >= view.settled
    before = ago * k + max(k, -int(offsets[0])) <= view.known
    useful: Rows = ago[complete & before & (ago * k - offsets[0] < len(view.counts))]
    return useful


def _rows(column: Floats, start: Rows, length: int) -> Floats:
    """Return the stretches of a column that begin at `start`, as rows."""
    out: Floats = column[start[:, None] + np.arange(length)]
    return out
