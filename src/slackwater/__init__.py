"""Say how good the answer must be; slackwater decides how long to wait.

Event streams that arrive out of order, on Spark Structured Streaming or in process.

>>> import pyarrow as pa
>>> import slackwater as sw
>>> bus = sw.stream(pa.table({"ts": [1, 4, 3, 5, 7, 8, 6, 9]}), name="bus", event_time="ts", unit="s")
>>> ordered = sw.reorder(bus, contract=sw.FixedSlack("1 second"))
>>> ordered.results["ts"].to_pylist()
[1, 3, 4, 5, 7, 8, 9]
>>> ordered.late.select(["ts", "late_by", "reason"]).to_pylist()
[{'ts': 6, 'late_by': 1000000, 'reason': 'late'}]
"""

from typing import TYPE_CHECKING

from slackwater import control
from slackwater.api import Stream, join, profile, reorder, session, stream
from slackwater.api_aggregate import aggregate
from slackwater.api_graph import shared_deadline
from slackwater.api_kafka import from_kafka, to_kafka
from slackwater.api_merge import merge, union
from slackwater.api_monitor import monitor
from slackwater.api_rescale import rescale
from slackwater.api_results import conflicts, last_revision, latency
from slackwater.api_top import top
from slackwater.api_watermark import with_watermark
from slackwater.board.dashboard import Dashboard
from slackwater.contracts import DropRatio, FixedSlack, MaxSlack, NoSlack, Punctuated, Recall, RelativeError
from slackwater.core.late import LatePolicy
from slackwater.deadline import Deadline
from slackwater.early import Early
from slackwater.errors import SlackwaterError, SqlError
from slackwater.experiments.advise import advise
from slackwater.hints import no_such_name
from slackwater.output import Output
from slackwater.plan.values import Value, count, distinct, max, mean, min, quantile, sum, variance
from slackwater.sideline import Sideline
from slackwater.sql.api import sql
from slackwater.time import Duration

__version__ = "0.1.0"

__all__ = [
    "Dashboard",
    "Deadline",
    "DropRatio",
    "Duration",
    "Early",
    "FixedSlack",
    "LatePolicy",
    "MaxSlack",
    "NoSlack",
    "Output",
    "Punctuated",
    "Recall",
    "RelativeError",
    "Sideline",
    "SlackwaterError",
    "SqlError",
    "Stream",
    "Value",
    "advise",
    "aggregate",
    "conflicts",
    "control",
    "count",
    "distinct",
    "from_kafka",
    "join",
    "last_revision",
    "latency",
    "max",
    "mean",
    "merge",
    "min",
    "monitor",
    "profile",
    "quantile",
    "reorder",
    "rescale",
    "session",
    "shared_deadline",
    "sql",
    "stream",
    "sum",
    "to_kafka",
    "top",
    "union",
    "variance",
    "with_watermark",
]

if not TYPE_CHECKING:  # type checkers would take it for a promise that every name exists

    def __getattr__(name: str) -> object:
        """Say what to write instead of a name of other engines."""
        raise AttributeError(no_such_name(name, __all__))
