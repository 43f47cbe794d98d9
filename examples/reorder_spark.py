"""Put a stream of files in event-time order on Spark, stop, drain, and read the three outputs."""

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import slackwater as sw
from slackwater.spark.control_stream import send

folder = Path(tempfile.mkdtemp())
(folder / "incoming").mkdir()
for number, times in enumerate([[1, 4, 3, 5], [7, 8, 6, 9]]):
    pq.write_table(
        pa.table({"ts": times, "seq": range(4 * number, 4 * number + 4)}), folder / "incoming" / f"{number}.parquet"
    )

spark = sw.session()
spark.sparkContext.setLogLevel("ERROR")
rows = spark.readStream.schema("ts BIGINT, seq BIGINT").parquet(str(folder / "incoming"))
bus = sw.stream(rows, name="bus", event_time="ts", unit="s", arrival="seq")
ordered = sw.reorder(bus, contract=sw.FixedSlack("1 second"))

for _ in range(2):  # the second run goes on from the checkpoint and finds the drain record
    ordered.start(
        results=str(folder / "results"),
        late=str(folder / "late"),
        decisions=str(folder / "decisions"),
        checkpoint=str(folder / "checkpoint"),
        control=str(folder / "control"),
        trigger={"availableNow": True},
    ).awaitTermination()
    send(folder / "control", "drain")

print("results:", sorted(row.ts for row in spark.read.parquet(str(folder / "results")).toLocalIterator()))
print(
    "late:   ",
    [(row.ts, row.reason, row.late_by) for row in spark.read.parquet(str(folder / "late")).toLocalIterator()],
)
last = spark.read.parquet(str(folder / "decisions")).orderBy("arrived", "released").tail(1)[0]
print("counts: ", {name: last[name] for name in ("arrived", "released", "late", "buffered")})
