"""A query of a pipeline that runs on Spark: where its outputs go, and what its batches have counted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from slackwater.decisions import DECISIONS
from slackwater.local.files import ENDINGS
from slackwater.paths import local_folder
from slackwater.plan.contract_text import parse_contract
from slackwater.quality.batch_log import ruling_contract
from slackwater.sql.described import Target, target_of
from slackwater.sql.shown import shown, titled
from slackwater.sql.summary import JUDGED, Summary, contract_in_words, dropped, kept_of, title_of

if TYPE_CHECKING:
    from slackwater.contracts import Contract
    from slackwater.sql.output import SqlOutput
    from slackwater.sql.pipeline import Pipeline

_COUNTS = ("arrived", "released", "late", "buffered")
_WAITING = "rows that are buffered leave when later ones come, in this run or the next, or with --drain"


@dataclass
class Running:
    """One query: started, looked at, summed up. It may be started again, and goes on."""

    pipeline: Pipeline
    number: int
    output: SqlOutput
    checkpoint: Path
    show: Callable[[str], None]
    query: Any = None  # of Spark
    decisions: list[pa.Table] = field(default_factory=list)
    batches: dict[int, dict[str, int]] = field(default_factory=dict)

    @property
    def control(self) -> Path:
        """The folder for control records: prods, drains."""
        return self.checkpoint / "control"

    def start(self, trigger: dict[str, Any] | None) -> None:
        """Start the query, or let it go on from its checkpoint.

        Raises:
            SqlError: an output cannot be written where it should.
        """
        if self.query is None:
            self._check_folders()
        writers = {what: self._writer(what, target) for what, target in self._targets()}
        judged = partial(self._judge, writers.get("decisions"))
        with self.pipeline.places.at(self.output.query.place):
            self.query = self.output.start(
                **{**writers, "decisions": judged},
                checkpoint=os.fspath(self.checkpoint),
                control=os.fspath(self.control),
                trigger=trigger,
                name=f"slackwater-{self.number}",
            )

    def look(self) -> None:
        """Note what batches since the last look have counted; Spark remembers the last hundred."""
        for progress in self.query.recentProgress:
            found = progress["observedMetrics"].get("slackwater")
            if found is not None:
                self.batches[progress["batchId"]] = {name: int(found[name] or 0) for name in _COUNTS}

    def counted(self) -> dict[str, int]:
        """Return what this run has counted; `buffered` is what the last batch left."""
        sums = {name: sum(batch[name] for batch in self.batches.values()) for name in _COUNTS}
        last = self.batches[max(self.batches)]["buffered"] if self.batches else 0
        return {**sums, "buffered": last}

    def summary(self) -> Summary:
        """Return what came of it."""
        contract, counts = self._contract(), self.counted()
        decisions = pa.concat_tables([DECISIONS.empty_table().select(list(JUDGED)), *self.decisions])
        return Summary(
            title_of(self.number, self.output.plan),
            contract_in_words(contract),
            **counts,
            kept=kept_of(decisions, contract) + dropped(contract, counts["late"], counts["arrived"]),
            written=tuple(f"{what:<8}  {_where(target)}" for what, target in self._targets()),
            notes=(_WAITING,) if counts["buffered"] else (),
        )

    def _targets(self) -> Iterator[tuple[str, Target | None]]:
        """Yield each output that somebody wants, and where it goes; None is the console."""
        query, sinks = self.output.query, self.pipeline.sinks
        late = None if query.first.late is None else query.first.late.sink
        named = {"results": query.into, "late": late, "decisions": query.decisions}
        for what, sink in named.items():
            if sink is not None and sink in sinks:
                yield what, target_of(sinks[sink], self.pipeline.places)
            elif what == "results":
                yield what, None

    def _writer(self, what: str, target: Target | None) -> Any:
        """Return what writes the batches of an output.

        Raises:
            SqlError: it cannot be written there.
        """
        from slackwater.spark.stored import Stored, writer_to

        if target is None or target.format == "console":
            most = 20 if target is None else target.rows
            show = partial(titled, self.show, self.number, what)
            return lambda rows, batch: show("\n".join(shown(rows.limit(most).toArrow(), most)))
        if target.format not in ENDINGS and target.format != "kafka":
            place = self.pipeline.sinks[target.name].place
            self.pipeline.places.fail(place, f"there is no sink of format {target.format}")
        writer: Any = writer_to(Stored(target.format, absolute(target.path), (), target.options))
        if target.format == "kafka":
            with self.pipeline.places.at(self.pipeline.sinks[target.name].place):
                return writer.for_output(what)
        return writer

    def _contract(self) -> Contract:
        """Return the contract that rules: that of the text, or what it was changed to while the query ran."""
        own: Contract = self.output.plan.node.contract
        changed = ruling_contract(self.checkpoint, repr(own))
        return own if changed is None else parse_contract(changed)

    def _judge(self, write: Any, rows: Any, batch: int) -> None:
        """Keep of decisions what says whether the contract was kept; write them where they are wanted.

        With the batch that changes the contract judging begins anew: a recall is no drop ratio.
        """
        table = rows.select("operator", "stream", *JUDGED).toArrow()
        said = table.filter(pc.field("operator") == "control")["stream"].to_pylist()
        if any(str(words).startswith("contract: ") for words in said):
            self.decisions.clear()
        self.decisions.append(table.select(list(JUDGED)))
        if write is not None:
            write(rows, batch)

    def _check_folders(self) -> None:
        """Refuse folders that another run has filled: their batches would be mixed with ours."""
        from slackwater.spark.outputs import checked_destinations
        from slackwater.spark.selected import columns_of

        plan, checkpoint = self.output.plan, os.fspath(self.checkpoint)
        columns = columns_of(plan, self.output.changed)
        for what, target in self._targets():
            if target is not None and target.path is not None:
                with self.pipeline.places.at(self.pipeline.sinks[target.name].place):
                    folders = {what: absolute(target.path)}
                    checked_destinations(folders, checkpoint=checkpoint, columns=columns, reads=plan.reads)


def absolute(path: str | None) -> str | None:
    """Return a path that is the same for Spark's JVM, which may have been started elsewhere; addresses are."""
    here = None if path is None else local_folder(path)
    return path if here is None else os.path.abspath(here)


def _where(target: Target | None) -> str:
    if target is None or target.format == "console":
        return "to the console"
    topic = target.options.get("topic")
    return f"-> {target.path or (f'topic {topic}' if topic else target.format)}"
