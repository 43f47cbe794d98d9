"""Checkpoints of queries as earlier versions left them, one for each operator and version of the state.

`state-1/reorder.tar.xz` is the folder of a query that was stopped: its input, of which a part was not read yet, its
checkpoint and its outputs. `state-1/reorder.json.xz` is the state of a bucket alone, as Spark's store holds it between
two calls, with the rows to come and what they gave. Those of a new version of the state are written by

    python -m tests.spark.upgrades.write

and the old ones stay. So the queries of `tests.chaos.queries` stay as they are: a change there would be another plan.
"""
