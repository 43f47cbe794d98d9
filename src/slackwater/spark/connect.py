"""Sessions of Spark Connect: the driver is in the server's process, not in this one.

Plans, outputs and `start` need nothing of the driver; functions that are given to `start` run there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slackwater.errors import ParameterError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def is_connect(spark: SparkSession) -> bool:
    """Whether a session speaks to a server of Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def check_driver_is_here(spark: SparkSession, what: str) -> None:
    """Refuse what remembers things in the driver's process, where that is another one."""
    if is_connect(spark):
        raise ParameterError(
            "spark",
            "a session of Spark Connect",
            must=f"have its driver in this process for {what}",
            remedy="run it there: sw.session(), or spark-submit",
        )
