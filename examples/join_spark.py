"""Join three streams of files on Spark, stop, drain, and read the three outputs."""

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import slackwater as sw
from slackwater.spark.control_stream import send

# (event time in s, arrival, area): arrival orders the rows of all streams
ROWS = {
    "bus": [(1, 0, "north"), (4, 3, "south"), (3, 6, "north"), (8, 9, "north"), (2, 10, "south")],
    "scats": [(2, 1, "north"), (5, 4, "south"), (4, 7, "north"), (9, 11, "north")],
    "air": [(2, 2, "north"), (6, 5, "south"), (5, 8, "north"), (9, 12, "north")],
}

folder = Path(tempfile.mkdtemp())
spark = sw.session()
spark.sparkContext.setLogLevel("ERROR")
streams = []
for name, rows in ROWS.items():
    (folder / name).mkdir()
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    pq.write_table(pa.table(columns, ["ts", "seq", "area"]), folder / name / "0.parquet")
    frame = spark.readStream.schema("ts BIGINT, seq BIGINT, area STRING").parquet(str(folder / name))
    streams.append(sw.stream(frame, name=name, event_time="ts", unit="s", arrival="seq"))

jams = sw.join(*streams, on="area", within="2 seconds", contract=sw.FixedSlack("1 second"), buckets=2)
print(jams.explain().splitlines()[-3].strip())

for _ in range(2):  # the second run goes on from the checkpoint and finds the drain record
    jams.start(
        results=str(folder / "results"),
        late=str(folder / "late"),
        decisions=str(folder / "decisions"),
        checkpoint=str(folder / "checkpoint"),
        control=str(folder / "control"),
        trigger={"availableNow": True},
    ).awaitTermination()
    send(folder / "control", "drain")

found = spark.read.parquet(str(folder / "results")).orderBy("event_time", "bus.ts").collect()
print("results:", [(row.bus.area, row.bus.ts, row.scats.ts, row.air.ts) for row in found])
late = spark.read.parquet(str(folder / "late")).collect()
print("late:   ", [(row.stream, row[row.stream].ts, row.reason, row.late_by) for row in late])
