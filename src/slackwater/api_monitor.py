"""`sw.monitor`: the figures of running queries for Prometheus, OpenTelemetry and logs."""

from __future__ import annotations

import os
from typing import Any

from slackwater.errors import ParameterError
from slackwater.metrics.monitor import Monitor


def monitor(
    spark: Any,
    *,
    port: int | None = None,
    address: str = "127.0.0.1",
    file: str | os.PathLike[str] | None = None,
    otel: Any = None,
    log: bool | str | os.PathLike[str] = False,
) -> Monitor:
    """Show what the queries of a session do: slack, quality, rows by where they are, latency, state, decisions.

    Figures change when a micro-batch has been written. Counters begin at 0 when the program does; a batch that is
    replayed counts once. Queries that are not slackwater's are left alone. Close what this returns, or let it live as
    long as the program; `docs/OPERATIONS.md` lists the metrics.

    Args:
        spark: the session whose queries are to be shown.
        port: where Prometheus reads (`/metrics`); 0 takes any that is free, which `port` of the monitor says. Needs the
            extra `prometheus`.
        address: of the machine's own, where `port` is opened: others cannot reach the default.
        file: a file that is replaced after each batch, for the textfile collector of the node exporter; its name must
            end in `.prom` there. Needs the extra `prometheus`.
        otel: a MeterProvider of OpenTelemetry, or True for the global one. Needs the extra `otel`.
        log: True writes a line of JSON for each batch, and each end, to where errors go; a path, to that file. Programs
            with their own logging leave it out, and set the level of the logger `slackwater.queries` to INFO.

    `with sw.monitor(spark, port=9464): jams.start(...).awaitTermination()`
    """
    if not type(spark).__module__.startswith("pyspark.sql"):
        raise ParameterError("spark", type(spark).__name__, must="be a SparkSession", remedy="sw.session() makes one")
    from slackwater.spark.listener import listen

    shown = Monitor()
    try:
        if port is not None:
            shown.serve(port, address)
        if file is not None:
            shown.write(file)
        if otel is not None and otel is not False:
            shown.show_to_otel(otel)
        if log:
            shown.log(None if log is True else log)
        listen(spark, shown)
    except BaseException:
        shown.close()
        raise
    return shown
