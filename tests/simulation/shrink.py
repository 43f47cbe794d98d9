"""Makes a case that fails smaller: fewer rows, fewer batches, a simpler plan, as long as it fails in the same way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.simulation.case import Case
from tests.simulation.check import check

SIMPLER = {  # of an option, what is tried in its place; None leaves it out
    "contract": ('sw.NoSlack(adaptation_interval="1 hour")', 'sw.FixedSlack("10 ms", adaptation_interval="1 hour")'),
    "values": ("{'n': sw.count()}",),
    "by": (None, "'key'"),
    "where": (None,),
    "on": (None, "'key'"),
    "early": (None, "sw.Early(estimate='raw')"),
    **dict.fromkeys(
        ("late", "release", "closed", "situation2", "synchronize", "payload", "empty", "sideline"), (None,)
    ),
}


def way_of_failing(case: Case) -> str | None:
    """Return which promise a case breaks, or what it dies of; None: it keeps all."""
    try:
        check(case)
    except AssertionError as error:
        return str(error).partition(":")[0]
    except Exception as error:
        return type(error).__name__
    return None


def shrunk(case: Case, *, seconds: float = 60, fails: Callable[[Case], str | None] = way_of_failing) -> Case:
    """Return the smallest case found within so many seconds that fails as this one does."""
    how, until = fails(case), time.monotonic() + seconds
    smaller: Case | None = case
    while smaller is not None and time.monotonic() < until:
        case = smaller
        smaller = next((each for each in _simpler(case) if time.monotonic() < until and fails(each) == how), None)
    return case


def _simpler(case: Case) -> Iterator[Case]:
    """Yield cases that are a little simpler, the boldest first."""
    yield from _with_fewer_rows(case)
    for what in ("replays", "cuts"):
        have = getattr(case, what)
        if have:
            yield replace(case, **{what: ()})
            yield from (replace(case, **{what: (*have[:i], *have[i + 1 :])}) for i in range(len(have)))
    if case.changes:
        yield replace(case, changes=())
    if case.shuffled:
        yield replace(case, shuffled=0)
    for name, texts in SIMPLER.items():
        now = case.options.get(name)
        for text in texts[: texts.index(now)] if now in texts else texts:  # the first is the simplest
            if now is not None:
                rest = {key: value for key, value in case.options.items() if key != name}
                yield replace(case, options=rest if text is None else {**case.options, name: text})
    yield from _with_plainer_rows(case)


def _with_fewer_rows(case: Case) -> Iterator[Case]:
    size = len(case.rows) // 2
    while size:
        for start in range(0, len(case.rows), size):
            yield _without(case, start, min(start + size, len(case.rows)))
        size //= 2


def _without(case: Case, start: int, stop: int) -> Case:
    """Leave rows out; cuts stay between the rows that they were between."""
    cuts = tuple(sorted({min(cut, start) if cut < stop else cut - (stop - start) for cut in case.cuts}))
    return replace(case, rows=case.rows[:start] + case.rows[stop:], cuts=cuts)


def _with_plainer_rows(case: Case) -> Iterator[Case]:
    for number, row in enumerate(case.rows):
        for plain in (row._replace(key="a"), row._replace(x=0)):
            if plain != row and row.what is None:
                yield replace(case, rows=(*case.rows[:number], plain, *case.rows[number + 1 :]))
