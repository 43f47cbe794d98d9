"""KIM Fig. 7: buffer sizes of the adaptive method and of Algorithm 1 at a drop ratio of 0.1 %."""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.experiments.frame.claims import Claim, Judged
from slackwater.experiments.frame.description import Cell, Column, Experiment, Plot, Row, grid
from slackwater.experiments.frame.kim import (
    ADAPTIVE,
    CHANGING,
    CONSTANT,
    HELD,
    KIM,
    OURS,
    SLOW,
    TABLE,
    over,
    run_policy,
)
from slackwater.experiments.frame.rows import MissingRowsError, Rows

_SIMILAR = 0.15  # the gap on changing streams, which the document calls one, is up to this


def run_cell(cell: Cell) -> Iterator[Row]:
    """Run one method."""
    yield run_policy(cell)


def _gaps(rows: Rows, kind: str) -> list[float]:
    """Return by how much the buffer of Algorithm 1 is larger than that of the adaptive method, stream by stream."""
    own = rows.where(stream_kind=kind)
    found = [
        own.where(set=name, policy=KIM).mean("held") / own.where(set=name, policy=ADAPTIVE).mean("held") - 1
        for name in own.distinct("set")
    ]
    if not found:
        raise MissingRowsError
    return found


def _similar(rows: Rows) -> Judged:
    gaps = _gaps(rows, "constant")
    return Judged(f"{min(gaps):+.0%} to {max(gaps):+.0%}", max(map(abs, gaps)) <= _SIMILAR)


def _larger(rows: Rows) -> Judged:
    gaps = _gaps(rows, "changing")
    return Judged(f"{min(gaps):+.0%} to {max(gaps):+.0%}", min(gaps) > 0 and max(gaps) <= 0.2)


_WHY = (
    "What is similar is not said: we take 15 %. The adaptive method has a slack and Algorithm 1 a number of events; "
    "how the document counts the buffer of the first is not said either. On changing streams it depends on M, which is "
    "not printed: fewer samples follow changes faster."
)

EXPERIMENT = Experiment(
    document="KIM",
    section="Sec. 4, Fig. 7",
    title="Buffer sizes at a drop ratio of 0.1 %",
    about="Algorithm 1 without its switch, and the adaptive method with W = 10,000 arrivals (a second); buffer sizes "
    "in events, on average. Beside them what our default holds.",
    grids={
        "smoke": grid(set=["poisson-2"], duration=["3 seconds"], target=[0.001], policy=[KIM, ADAPTIVE]),
        "small": [
            *over(CONSTANT[::2], short=True, target=[0.001], policy=[KIM, ADAPTIVE, OURS]),
            *over(CHANGING, short=True, target=[0.001], policy=[KIM, SLOW, ADAPTIVE, OURS]),
        ],
        "paper": [
            *over(CONSTANT, short=False, target=[0.001], policy=[KIM, ADAPTIVE, OURS]),
            *over(CHANGING, short=False, target=[0.001], policy=[KIM, SLOW, ADAPTIVE, OURS]),
        ],
    },
    run=run_cell,
    claims=(
        Claim("constant streams: the two methods provide similar performance", "Sec. 4", _similar, why=_WHY),
        Claim(
            "changing streams: the adaptive method's buffer is smaller; the gap increases up to 15 %",
            "Sec. 4",
            _larger,
            why=_WHY,
        ),
    ),
    table=TABLE,
    plots=tuple(
        Plot(
            heading=heading,
            caption="Events held, on average.",
            x=x,
            y=HELD,
            lines=("policy",),
            where={"stream_kind": kind},
        )
        for kind, heading, x in (
            ("constant", "Constant stream (Fig. 7a)", Column("deviation_ms", "deviation of the delays", "ms")),
            ("changing", "Changing stream (Fig. 7b)", Column("changes_every_s", "stream changes every", "s")),
        )
    ),
)
