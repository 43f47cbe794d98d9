"""The state of a bucket between two calls, as a file: what Spark's state store would hold, and what comes of it."""

from __future__ import annotations

import json
import lzma
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.simulation.calls import Bucket, Outputs, collect
from tests.simulation.case import SCHEMA, Case, Row

_WINDOWS = {"size": '"60 ms"', "slide": '"20 ms"', "by": "'key'", "values": "{'n': sw.count(), 'x': sw.sum('x')}"}
_JOIN = {"on": "'key'", "within": '"30 ms"'}
_OPTIONS: Mapping[str, tuple[str, int, Mapping[str, str]]] = {
    "reorder": ("reorder", 1, {"contract": 'sw.DropRatio(0.05, over="200 ms", adaptation_interval="50 ms")'}),
    "reorder with PD": (
        "reorder",
        1,
        {"contract": "sw.DropRatio(0.05, adaptation_interval='50 ms', controller=control.PD())"},
    ),
    "keyed reorder": ("reorder", 1, {"contract": "sw.MaxSlack()", "by": "'key'"}),
    "merge": ("merge", 2, {"contract": "sw.MaxSlack()"}),
    "merge by a deadline": ("merge", 2, {"contract": 'sw.Deadline("100 ms")'}),
    "join of 2": ("join", 2, {"contract": 'sw.Recall(0.9, over="200 ms", adaptation_interval="50 ms")', **_JOIN}),
    "join by a model": (
        "join",
        2,
        {"contract": "sw.Recall(0.9, adaptation_interval='50 ms', controller=control.ModelSearch())", **_JOIN},
    ),
    "join of 3": ("join", 3, {"contract": 'sw.FixedSlack("40 ms")', **_JOIN}),
    "aggregate": ("aggregate", 1, {"contract": "sw.DropRatio(0.05, adaptation_interval='50 ms')", **_WINDOWS}),
    "early aggregate": (
        "aggregate",
        1,
        {"contract": 'sw.FixedSlack("40 ms")', "early": "sw.Early(aggressiveness=0.5)", **_WINDOWS},
    ),
    "aggregate with a bound": (
        "aggregate",
        1,
        {"contract": "sw.RelativeError(0.1, adaptation_interval='50 ms')", **_WINDOWS},
    ),
}


def cases() -> Iterator[tuple[str, Case]]:
    """Return a case for each operator and kind of state, with the rows of 300 ms in five batches."""
    random = np.random.default_rng(8)
    for name, (operator, streams, options) in _OPTIONS.items():
        count = 150
        delay = np.where(random.random(count) < 0.6, 0, random.integers(0, 60, count))
        rows = tuple(
            Row(int(random.integers(streams)), i, int(1_000 + 2 * i - delay[i]), "abc"[random.integers(3)], i)
            for i in range(count)
        )
        yield name, Case(operator, dict(options), rows, streams, cuts=(30, 60, 90, 120))


def stopped(case: Case, calls: int) -> dict[str, Any]:
    """Call a bucket so many times; return the case, its state by then, and what left in the calls after that."""
    bucket = Bucket(case, case.plan(case.tables()).node)
    for tables in list(case.batches())[:calls]:
        bucket(tables)
    text, chunks, marks = bucket.state
    state = {"text": text, "chunks": _as_text(chunks), "marks": _as_text(marks)}
    return {"case": repr(case), "calls": calls, "state": state, "then": rest(case, calls, bucket)}


def rest(case: Case, calls: int, bucket: Bucket) -> dict[str, Any]:
    """Make the other calls, and one more to drain; return what left, as JSON knows it, floats to nine digits."""
    outputs = Outputs()
    nothing = [SCHEMA.empty_table()] * case.streams
    for tables in [*list(case.batches())[calls:], nothing]:
        collect(outputs, bucket(tables, drain=tables is nothing))
    rows = {"results": outputs.results, "late": outputs.late, "decisions": outputs.decisions}
    return dict(json.loads(json.dumps(rows, default=str), parse_float=lambda text: float(f"{float(text):.9g}")))


def go_on(found: Mapping[str, Any]) -> dict[str, Any]:
    """Restore a bucket that was stopped, and make the other calls."""
    case: Case = eval(found["case"], {"Case": Case, "Row": Row})
    bucket = Bucket(case, case.plan(case.tables()).node)
    state = found["state"]
    bucket.restore((state["text"], _as_bytes(state["chunks"]), _as_bytes(state["marks"])))
    return rest(case, found["calls"], bucket)


def write_buckets(home: Path) -> None:
    """Write all cases, stopped after three calls."""
    home.mkdir(parents=True, exist_ok=True)
    for name, case in cases():
        (home / f"{name}.json.xz").write_bytes(lzma.compress(json.dumps(stopped(case, 3)).encode()))


def read_bucket(file: Path) -> dict[str, Any]:
    """Return what was written."""
    return dict(json.loads(lzma.decompress(file.read_bytes())))


def _as_text(bodies: Mapping[int, bytes]) -> dict[str, str]:
    return {str(number): b64encode(body).decode() for number, body in bodies.items()}


def _as_bytes(texts: Mapping[str, str]) -> dict[int, bytes]:
    return {int(number): b64decode(text) for number, text in texts.items()}
