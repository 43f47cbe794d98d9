"""The same plan as its buckets are called on Spark: all state goes through text and bytes, calls may be lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from slackwater.errors import ParameterError
from slackwater.plan.changed_contract import under_contract
from slackwater.spark.aggregate_call import run_aggregate_call
from slackwater.spark.buckets import Spread
from slackwater.spark.call import DECISIONS, LATE, RESULTS, Call, Saved, identity_of, run_call
from slackwater.spark.held import HeldStore
from slackwater.spark.join_call import JoinBucket, JoinSaved, identity_of_join
from slackwater.spark.keyed_call import KeyedSaved, run_keyed_call
from slackwater.spark.merge_call import MergeBucket, identity_of_merge
from slackwater.spark.packets import from_bytes
from slackwater.spark.stored_aggregate import AggregateSaved, identity_of_aggregate
from tests.simulation.case import NOW, SCHEMA, Case, evaluated


class BrokenPromiseError(AssertionError):
    """A promise that a case found broken; the first word says which, so that shrinking keeps to it."""


@dataclass
class Chunks:
    """A state store in memory."""

    bodies: dict[int, bytes] = field(default_factory=dict)

    def read(self, number: int) -> bytes:
        return self.bodies[number]

    def write(self, number: int, body: bytes) -> None:
        self.bodies[number] = bytes(body)

    def delete(self, number: int) -> None:
        del self.bodies[number]


@dataclass
class Outputs:
    """What left a plan, as rows."""

    results: list[dict[str, Any]] = field(default_factory=list)
    late: list[dict[str, Any]] = field(default_factory=list)
    decisions: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of_run(cls, run: Any) -> Outputs:
        """Return the outputs of a run in process."""
        return cls(run.results.to_pylist(), run.late.to_pylist(), _timeless(run.decisions.to_pylist()))


class Bucket:
    """A bucket that forgets everything but its text and bytes after each call."""

    def __init__(self, case: Case, node: Any) -> None:
        self._node, self._schemas = node, [SCHEMA] * case.streams
        self._chunks, self._marks, self._text = Chunks(), Chunks(), None
        self._above = [Chunks() for _ in getattr(node, "levels", ())[1:]]
        self._operator = "keyed" if case.operator == "reorder" and node.by else case.operator
        self._identity = {
            "aggregate": lambda: identity_of_aggregate(node, SCHEMA),
            "join": lambda: identity_of_join(node, self._schemas),
            "merge": lambda: identity_of_merge(node, self._schemas),
        }.get(self._operator, lambda: identity_of(node, SCHEMA))()

    @property
    def state(self) -> tuple[Any, ...]:
        """All that it remembers."""
        return self._text, *(dict(each.bodies) for each in (self._chunks, self._marks, *self._above))

    def restore(self, state: tuple[Any, ...]) -> None:
        """Go back to what was remembered."""
        self._text = state[0]
        self._chunks, self._marks, *self._above = (Chunks(dict(bodies)) for bodies in state[1:])

    def change(self, contract: str) -> bool:
        """Go on under another contract, if the operator can keep it on the same way."""
        try:
            self._node = under_contract(self._node, evaluated(contract), self._schemas)
        except ParameterError:
            return False
        return True

    def __call__(self, tables: list[pa.Table], *, drain: bool = False) -> Call:
        text = None if self._text is None else (self._text,)
        given: dict[str, Any] = {"processing_time": NOW, "drain": drain}
        if self._operator in ("join", "merge"):
            saved, store = JoinSaved.load(text, self._identity), HeldStore(self._chunks, self._marks)
            if self._operator == "join":
                bucket: Any = JoinBucket(self._node, Spread.of(self._node, self._schemas), 0)
            else:
                bucket = MergeBucket(self._node, Spread(1, (self._node.by,) * len(tables)), 0)
            call = bucket.on_batch(saved, store, tables, **given)
        else:
            kind, run = {
                "aggregate": (AggregateSaved, run_aggregate_call),
                "keyed": (KeyedSaved, run_keyed_call),
            }.get(self._operator, (Saved, run_call))
            given |= {"above": self._above} if self._above else {}
            call = run(self._node, 0, kind.load(text, self._identity), self._chunks, tables[0], **given)
        self._text = call.saved.dump(self._identity)
        return call


def run_in_calls(case: Case, bucket: Any) -> tuple[Outputs, list[Call]]:
    """Call a bucket for each batch, and once more to drain; lost calls must repeat themselves to the byte."""
    outputs, calls, changes = Outputs(), [], dict(case.changes)
    nothing = [SCHEMA.empty_table()] * case.streams
    for number, tables in enumerate([*case.batches(), nothing]):
        if number in changes:
            bucket.change(changes[number])
        before, drain = bucket.state, tables is nothing
        call = bucket(tables, drain=drain)
        if number in case.replays:
            first = bucket.state, _bodies(call)
            bucket.restore(before)
            call = bucket(tables, drain=drain)
            if first != (bucket.state, _bodies(call)):
                raise BrokenPromiseError(
                    f"replay: call {number}, made again from the state before it, gave other bytes"
                )
        calls.append(call)
        collect(outputs, call)
    return outputs, calls


def _bodies(call: Call) -> list[Any]:
    """Return what left, without how long it took."""
    return [(p["kind"], p["body"]) for p in call.packets if p["kind"] in (RESULTS, LATE)]


def collect(outputs: Outputs, call: Call) -> None:
    """Add what left in a call."""
    into = {RESULTS: outputs.results, LATE: outputs.late, DECISIONS: outputs.decisions}
    for packet in call.packets:
        if packet["kind"] in into:
            rows = from_bytes(packet["body"]).to_pylist()
            into[packet["kind"]] += _timeless(rows) if packet["kind"] == DECISIONS else rows


def _timeless(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "took_us"} for row in rows]
