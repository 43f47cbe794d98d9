"""The figures of a run with kills."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from statistics import median
from typing import TYPE_CHECKING

from rich.table import Table

from tests.chaos.kills import MIX
from tests.chaos.moments import MOMENTS
from tests.chaos.verify import Verdict

if TYPE_CHECKING:
    from tests.chaos.command import Outcome
    from tests.chaos.disturb import Kill


def table_of(outcomes: Sequence[Outcome]) -> Table:
    """Return the figures."""
    kills = [kill for outcome in outcomes for kill in outcome.disturbed.kills]
    disturbed = [outcome.disturbed for outcome in outcomes]
    total = reduce(add, (outcome.verdict for outcome in outcomes), Verdict())
    table = Table(title="Chaos", show_header=False)
    table.add_row("kills", f"{len(kills)}: {_counts([kill.kind for kill in kills], MIX)}")
    table.add_row("moments", _counts([kill.moment for kill in kills], MOMENTS))
    table.add_row("queries", ", ".join(f"{each.name} {len(each.kills)}" for each in disturbed))
    table.add_row(
        "rows in, results, late", f"{sum(each.rows for each in outcomes):,}, {total.results:,}, {total.late:,}"
    )
    table.add_row("batches", f"{sum(each.batches for each in disturbed):,}")
    table.add_row(
        "tasks lost, drivers started", f"{sum(d.lost_tasks for d in disturbed)}, {sum(d.starts for d in disturbed)}"
    )
    for name in ("lost", "doubled", "made_up", "out_of_order", "other_than_undisturbed", "violations"):
        table.add_row(name.replace("_", " "), str(getattr(total, name)))
    for kind in MIX:
        table.add_row(f"seconds to recover: {kind}", _recovery([kill for kill in kills if kill.kind == kind]))
    table.add_row("minutes, added up over clusters", f"{sum(each.seconds for each in disturbed) / 60:.1f}")
    failures = [f"{each.name}: {failure}" for each in disturbed for failure in each.failures]
    table.add_row("drivers that gave up", "\n".join(failures) or "none")
    return table


def _counts(found: Sequence[str], names: Sequence[str]) -> str:
    return ", ".join(f"{name} {found.count(name)}" for name in names)


def _recovery(kills: Sequence[Kill]) -> str:
    """Return how long it took until the next batch was committed."""
    seconds = [kill.seconds for kill in kills]
    return f"median {median(seconds):.1f}, most {max(seconds):.1f}" if seconds else "none"
