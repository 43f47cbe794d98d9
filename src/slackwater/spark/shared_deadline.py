"""One deadline for several queries: the tuner runs on the driver, and tells the buckets through control records.

Each operator is a query of its own, with its own checkpoint and outputs; one reads what another writes. After each
batch the decisions that it wrote, and how long its rows really took, go to the tuner; then a record for each operator
goes into its control folder. Records are input of later batches, so Spark repeats them in a replay; a batch that the
tuner has seen is not shown to it again.

Until an operator is told, and when it has not been told for a minute of event time, it waits for its share of the
deadline: as much as every other on the longest path.

The deadline is that of the call: a control record that asks one operator for another contract is refused, because what
it would wait then is taken from the others. Queries that are stopped may be started again with another one.
"""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)

from slackwater.control.graph_tuner import GraphTuner
from slackwater.control.operator_model import TunedOperator
from slackwater.control.sl_tuner import SLTuner
from slackwater.deadline import Deadline
from slackwater.errors import ParameterError
from slackwater.measurement import Waited
from slackwater.models.graph import Graph
from slackwater.plan.nodes import AggregateNode, ReorderNode
from slackwater.spark.connect import check_driver_is_here
from slackwater.spark.control_stream import put
from slackwater.spark.outputs import Write, checked_destinations
from slackwater.time import Duration

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

    from slackwater.spark.latency import Figures
    from slackwater.spark.query import SparkStreams

_VERSION = 1
_Plan = TypeVar("_Plan", bound="SparkStreams")
_QUANTILES = (0.5, 0.95, 0.99, 1.0)


@dataclass
class SharedDeadline:
    """The operators of a graph share a deadline; made by `sw.shared_deadline`. `folder` has all that it remembers."""

    deadline: Deadline
    graph: Graph
    folder: Path
    tuner: SLTuner
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def start(
        self,
        name: str,
        plan: Any,
        *,
        results: str | os.PathLike[str],
        checkpoint: str | os.PathLike[str],
        ingested: str | None = None,
        trigger: dict[str, Any] | None = None,
        **options: Any,
    ) -> StreamingQuery:
        """Start an operator of the graph: a merge or a join whose contract is a deadline, or a chain that begins so.

        Args:
            name: of the operator, as the graph has it.
            plan: what is to run; of its contract all but the limit counts.
            results: a folder, as in the plan's own `start`.
            checkpoint: as in the plan's own `start`.
            ingested: an expression over the results that says when their rows arrived at the first operator, such as
                "bus.arrival_time": then latency counts from there, and is written to `latency.jsonl` in the folder as
                quantiles of each batch. Left out, it counts from when this operator read its rows (`sw.latency`), and
                the trigger's interval is added.
            trigger: as in the plan's own `start`.
            options: what else the plan's own `start` takes, but for control, decisions, latency and name.
        """
        for frame in getattr(plan, "frames", ()):
            check_driver_is_here(frame.sparkSession, "a shared deadline")
        between = Duration.of((trigger or {}).get("processingTime", Duration.ZERO), parameter="trigger")
        sharing, seen = self._sharing(name, plan), _Seen(self, name, between.microseconds, ingested)
        decisions = str(self.folder / "decisions" / name)
        folders = {"results": results, "late": options.get("late"), "decisions": decisions}
        write = checked_destinations(
            folders, checkpoint=os.fspath(checkpoint), columns=sharing.columns_out, reads=sharing.reads
        )
        query: StreamingQuery = sharing.start(
            results=seen.measured(write["results"]),
            decisions=seen.heard(write["decisions"]),
            latency=seen.told,
            control=str(self.control(name)),
            checkpoint=checkpoint,
            trigger=trigger,
            name=name,
            **options,
        )
        return query

    @property
    def slacks(self) -> dict[str, Duration]:
        """How long each operator is to wait, as the tuner said last."""
        return {name: Duration(slack) for name, slack in self._tuner(self._state()).slacks.items()}

    def control(self, name: str) -> Path:
        """Return the folder of control records of an operator; a drain may be sent there too, but no contract."""
        return self.folder / "control" / name

    def on_batch(self, name: str, batch: int, at: int, measured: Waited) -> None:
        """Let the tuner see a batch, once; tell the operators what follows from it."""
        with self._lock:
            state = self._state()
            if batch <= state["batches"].get(name, -1):
                return
            tuner = self._tuner(state)
            tuner.observe(at, {name: measured})
            decided = {**state, "batches": {**state["batches"], name: batch}, "at": {**state["at"], name: at}}
            for told, when in decided["at"].items():
                record = {"kind": "slack", "slack": tuner.slacks[told], "at": when}
                put(self.control(told) / f"{name}-{batch}.json", json.dumps(record))
            put(self._file, json.dumps({**decided, "version": _VERSION, "tuner": tuner.snapshot()}))

    @property
    def _file(self) -> Path:
        return self.folder / "tuner.json"

    def _state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._file.read_text()) if self._file.exists() else {}
        return {"batches": {}, "at": {}, **found}

    def _tuner(self, state: dict[str, Any]) -> GraphTuner:
        operators = [TunedOperator(name) for name in self.graph.operators]
        tuning = self.tuner.tuning(self.deadline.goal())
        return GraphTuner(self.graph, operators, tuning, self.tuner.learning(), state.get("tuner"))

    def _sharing(self, name: str, plan: _Plan) -> _Plan:
        """Return a plan that waits for its share of the deadline until it is told something else."""
        if name not in self.graph.operators:
            known = ", ".join(self.graph.operators)
            raise ParameterError("name", name, must=f"be one of {known}", remedy="name it in shared_deadline(...)")
        if isinstance(plan.node, AggregateNode | ReorderNode):
            raise ParameterError(
                "plan",
                f"an operator {plan.node.operator!r}",
                must="be a merge or a join",
                remedy="others always wait for their slack: start it by itself, and share what that leaves",
            )
        contract = plan.node.contract
        if not isinstance(contract, Deadline):
            raise ParameterError(
                "plan", type(contract).__name__, must="have a Deadline", remedy="contract=sw.Deadline(...)"
            )
        others = self.graph.longest_path(dict.fromkeys(self.graph.operators, 1.0))
        limit = self.deadline.limit.microseconds
        used = Duration(limit - int(limit // others) + contract.latency.microseconds)
        shared = replace(contract, limit=self.deadline.limit, latency=used)
        return replace(plan, node=replace(plan.node, contract=shared), is_shared=True)


@dataclass(frozen=True)
class _Seen:
    """What the driver sees of the batches of one operator, as they are written."""

    shared: SharedDeadline
    name: str
    between: int  # two batches, in us
    ingested: str | None
    latencies: dict[int, int] = field(default_factory=dict)  # the largest since rows were ingested, in us, by batch
    decided: dict[int, pa.Table] = field(default_factory=dict)  # what was decided, by batch

    def measured(self, write: Write) -> Write:
        """Write results, and measure how long ago their rows arrived."""

        def written(rows: DataFrame, batch: int) -> None:
            write(rows, batch)
            if self.ingested is None:
                return
            ago = F.expr(f"unix_micros(current_timestamp()) - unix_micros({self.ingested})")
            found = rows.agg(F.percentile(ago, F.array(*map(F.lit, _QUANTILES))), F.count(ago)).first()
            if found is not None and found[1]:
                self.latencies[batch] = int(found[0][-1])
                quantiles = dict(zip(("p50", "p95", "p99", "max"), map(int, found[0]), strict=True))
                self._log({"operator": self.name, "batch": batch, "rows": found[1], **quantiles})

        return written

    def heard(self, write: Write) -> Write:
        """Write decisions, and remember what they say until the batch is measured."""

        def written(rows: DataFrame, batch: int) -> None:
            write(rows, batch)
            decided = rows.select("at", "slack", "slack_ready", "released").toArrow()
            # rows about control records are no decisions, and the aggregate of a chain waits for nobody
            decided = decided.filter(pc.is_valid(decided["slack_ready"]))
            if decided.num_rows:
                self.decided[batch] = decided

        return written

    def told(self, figures: Figures) -> None:
        """Tell the tuner how long the rows of a batch took that has just been written, if something was decided."""
        batch = figures["batch"]
        decided, ingested = self.decided.pop(batch, None), self.latencies.pop(batch, None)
        if decided is not None:
            at = pc.max(decided["at"].cast(pa.int64())).as_py()
            self.shared.on_batch(self.name, batch, at, self._waited(decided, figures, ingested))

    def _waited(self, decided: pa.Table, figures: Figures, ingested: int | None) -> Waited:
        """Return how long was waited. No waiting are the time until a trigger reads, and that until it has written.

        How far streams are apart nothing says: where rows left before they were ready, further than the slack.
        """
        slack = pc.max(decided["slack"]).as_py()
        unready = pc.sum(decided["slack_ready"]).as_py() or 0
        processing = self.between + figures["written"] - figures["read"]
        held = figures["held_max"]
        latency = processing if held is None else max(self.between + held, processing)
        spread = 2 * slack if unready else 0
        return Waited(latency if ingested is None else ingested, processing, unready, spread, unready)

    def _log(self, row: dict[str, Any]) -> None:
        self.shared.folder.mkdir(parents=True, exist_ok=True)
        with (self.shared.folder / "latency.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
