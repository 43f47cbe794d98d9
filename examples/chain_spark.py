"""Three operators in one Spark query: a join finds jams, they are counted by area, and the worst area is kept.

Waiting happens once, where rows come in: results of the join are in order, so nothing after it waits again.
"""

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import slackwater as sw
from slackwater.spark.control_stream import send

folder = Path(tempfile.mkdtemp())
spark = sw.session()
spark.sparkContext.setLogLevel("ERROR")


def read(name: str, rows: list[tuple[int, str]]) -> sw.Stream:
    """Put the rows of a stream into a folder, and read it as they come."""
    (folder / name).mkdir()
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    pq.write_table(pa.table(columns, ["ts", "area"]), folder / name / "0.parquet")
    frame = spark.readStream.schema("ts BIGINT, area STRING").parquet(str(folder / name))
    return sw.stream(frame, name=name, event_time="ts", unit="s")


bus = read("bus", [(1, "north"), (3, "south"), (2, "south"), (12, "north"), (14, "north"), (31, "south")])
scats = read("scats", [(2, "north"), (3, "south"), (13, "north"), (15, "north"), (32, "south")])
jams = sw.join(bus, scats, on="area", within="2 seconds", contract=sw.Deadline("6 seconds"))
by_area = sw.aggregate(jams, by="bus.area", size="10 seconds", values={"jams": sw.count()})
worst = sw.top(by_area, 1, of="jams")
places = {name: str(folder / name) for name in ("results", "late", "decisions", "checkpoint", "control")}
for _ in ("rows", "drain"):
    worst.start(**places, trigger={"availableNow": True}).awaitTermination()
    send(folder / "control", "drain")

for row in spark.read.parquet(places["results"]).orderBy("window", "area").collect():
    print(f"until {row.window.end.second} s: most jams in the {row.area}, {row.jams}")
said = spark.read.parquet(places["decisions"]).groupBy("operator").agg({"slack": "max"}).collect()
print({row.operator: f"waited up to {row['max(slack)'] / 1e6:g} s" for row in sorted(said)})
