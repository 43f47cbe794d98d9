"""SUN15 Sec. 6.3.2: the influence of one parameter of the late-degree model on QCR/ABS."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from slackwater.experiments.frame.claims import Judged
from slackwater.experiments.frame.description import Cell, Column, Config, Plot, Row
from slackwater.experiments.frame.rows import MissingRowsError, Rows
from slackwater.experiments.frame.sun15 import ABS, PER_MS, QCR, SMOKE, contract_of, tracked

MODEL = "Quoted for the recordings; ours is a model of them."


def run_cell(cell: Cell) -> list[Row]:
    """Run the late-degree model."""
    return [{**tracked(cell, contract_of(cell, overall=False)).figures(cell["target"], overall=False)}]


def change(rows: Rows, name: str, value: object, standard: object, **where: object) -> list[float]:
    """Return by how much QCR/ABS differs from the standard setting, for each set and expectation."""
    found = []
    for row in rows.where(**where, **{name: value}):
        same = rows.where(set=row["set"], target=row["target"])
        base = same.where(**{name: standard}).mean("qcr_per_ms")
        found.append(same.where(**{name: value}).mean("qcr_per_ms") / base - 1)
    if not found:
        raise MissingRowsError(name)
    return found


def differs_by(
    name: str, value: object, standard: object, holds: Callable[[float, float], bool], **where: object
) -> Callable[[Rows], Judged]:
    """Return a check of the smallest and largest change of QCR/ABS."""

    def check(rows: Rows) -> Judged:
        found = change(rows, name, value, standard, **where)
        low, high = min(found), max(found)
        return Judged(f"{low:+.1%}" if low == high else f"{low:+.1%} to {high:+.1%}", holds(low, high))

    return check


def changed_by(quoted: float) -> Callable[[float, float], bool]:
    """Return whether a change goes the way that is quoted, by at least half as much.

    >>> changed_by(-0.2)(-0.15, -0.15), changed_by(-0.2)(-0.05, -0.05), changed_by(0.1)(0.06, 0.06)
    (True, False, True)
    """
    return lambda low, high: high >= quoted / 2 if quoted > 0 else low <= quoted / 2


def plots(name: str, what: str) -> tuple[Plot, ...]:
    """Return QCR/ABS and what it is made of, over the expectation."""
    x = Column("target", "quality expectation")
    return tuple(
        Plot(kind="bars", heading=heading, caption=f"By {what}.", x=x, y=y, lines=(name,), panels=("set",))
        for heading, y in (("QCR/ABS", PER_MS), ("QCR", QCR), ("ABS", ABS))
    )


def smoke(config: Config) -> Sequence[Config]:
    """Return the one cell of the smoke scale."""
    return [{"set": "soccer-23min", "duration": SMOKE, "target": 0.95, **config}]
