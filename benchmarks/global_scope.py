"""Thin buckets of a join, each deciding for itself or one controller for all: mean slack and recall, without Spark.

Not a ratio of times, so it is no part of `slackwater bench`: run it as a module, from the root of the repository:

    python -m benchmarks.global_scope
"""

from __future__ import annotations

from functools import partial
from typing import Any

import typer
from tests.spark.rounds import Rounds, join_of, recall_by_minute, thin_streams

import slackwater as sw
from slackwater.spark.call import RESULTS

CONTRACT = sw.Recall(0.95, over="1 minute")
STREAMS = ((20, 80), (40, 40), (100, 40))  # events per second of both streams together, and keys
PLANS = (("bucket", 1), ("bucket", 4), ("global", 4), ("bucket", 8), ("global", 8))
FROM = 180  # seconds: what is before it counts as the start


def main(seconds: int = 1_200, batch: int = 5, seed: int = 1) -> None:
    """Print one line for each set of streams and plan."""
    for per_second, keys in STREAMS:
        tables = thin_streams(seconds=seconds, per_second=per_second, keys=keys, seed=seed)
        truth = join_of(tables, sw.FixedSlack("1 hour")).results
        print(f"{per_second} events/s, {keys} keys: {truth.num_rows * 60 // seconds} results a minute")
        for scope, buckets in PLANS:
            node = join_of(tables, CONTRACT, buckets=buckets, scope=scope).node
            rounds = Rounds(node, partial(_bucket, buckets)).run(tables, count=seconds // batch)
            recall = recall_by_minute(rounds.output(RESULTS), truth, seconds=range(FROM, seconds))
            kept = (recall >= 0.99 * CONTRACT.target).mean()
            print(
                f"  {buckets} buckets, scope {scope:6}  slack {rounds.mean_slack(after=FROM):.2f} s  "
                f"recall {recall.mean():.3f}  minutes kept {kept:.1%}"
            )


def _bucket(buckets: int, key: Any) -> Any:
    return key % buckets


if __name__ == "__main__":
    typer.run(main)
