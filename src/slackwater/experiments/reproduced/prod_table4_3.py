"""PROD Table 4.3: latency gains and accuracy over bursty streams of various lengths."""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.experiments.frame.claims import Claim, number
from slackwater.experiments.frame.description import Cell, Column, Experiment, Plot, Row
from slackwater.experiments.frame.prod_bursts import ABOUT, ACCURACY, EARLY, GAIN, figures, run_bursts

_QUOTED = {90: ("Burst 1", 0.9762, 1.33), 180: ("Burst 2", 0.9838, 1.27), 360: ("Burst 4", 0.9865, 1.18)}
_WHY = "Records and machine are models of what is not printed: how long a burst lasts decides the gain."


def run_cell(cell: Cell) -> Iterator[Row]:
    """Prod every second."""
    yield figures(run_bursts(cell))


def _claims() -> Iterator[Claim]:
    for seconds, (name, accuracy, gain) in _QUOTED.items():
        where = {"seconds": seconds}
        says = f"{name}: accuracy {100 * accuracy:.4g} %"
        yield Claim(says, "Table 4.3", number(accuracy, "accuracy", "%", within=None, **where), why=_WHY)
        says = f"{name}: latency gain {gain:.2f} s"
        yield Claim(says, "Table 4.3", number(gain, "gain_s", "s", within=None, **where), why=_WHY)


EXPERIMENT = Experiment(
    document="PROD",
    section="Sec. 4.3.2, Table 4.3",
    title="Latency gains over bursty streams of various lengths",
    about=f"90, 180 and 360 s, about 14,000, 28,000 and 56,000 records. {ABOUT}",
    grids={
        "smoke": [{"set": "wireless", "seconds": 60, "duration": "60 seconds"}],
        "small": [{"set": "wireless", "seconds": each, "duration": f"{each} seconds"} for each in _QUOTED],
        "paper": [{"set": "wireless", "seconds": each, "duration": f"{each} seconds"} for each in _QUOTED],
    },
    run=run_cell,
    claims=tuple(_claims()),
    table=(ACCURACY, GAIN, EARLY),
    plots=(
        Plot(
            kind="bars",
            heading="Latency gain",
            caption="Of windows that have an early result.",
            x=Column("seconds", "length of the stream", "s"),
            y=GAIN,
        ),
    ),
    in_process_only="the machine that is too slow is a model.",
)
