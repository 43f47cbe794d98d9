"""Ask a running Spark query for early results from another terminal.

Run it, and it prods itself as you would: start a query with `control=`, then type in a second terminal

    slackwater prod --control <folder>/control --where line=5
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import slackwater as sw

folder = Path(tempfile.mkdtemp())
(folder / "incoming").mkdir()


def arrive(name, times, lines):
    """Let a file of rows come in; it appears complete or not at all."""
    pq.write_table(pa.table({"ts": times, "line": lines}), folder / name)
    (folder / name).rename(folder / "incoming" / name)


spark = sw.session()
spark.sparkContext.setLogLevel("ERROR")
arrive("0.parquet", [1, 4, 3], [5, 5, 7])
rows = spark.readStream.schema("ts BIGINT, line BIGINT").parquet(str(folder / "incoming"))
bus = sw.stream(rows, name="bus", event_time="ts", unit="s")
counts = sw.aggregate(
    bus,
    by="line",
    size="10 seconds",
    values={"n": sw.count()},
    contract=sw.FixedSlack("2 seconds"),
    early=sw.Early(estimate="raw"),  # when a prod asks: what has come, not what is expected
)
query = counts.start(
    results=str(folder / "results"),
    checkpoint=str(folder / "checkpoint"),
    control=str(folder / "control"),
)
query.processAllAvailable()
prod = [sys.executable, "-m", "slackwater.cli.main", "prod", "--control", str(folder / "control"), "--where", "line=5"]
subprocess.run(prod, check=True, stdout=subprocess.DEVNULL)
query.processAllAvailable()
arrive("1.parquet", [8, 12], [5, 7])  # the clock passes 12: the window until 10 is final
query.processAllAvailable()
query.stop()

found = spark.read.parquet(str(folder / "results"))
for row in found.orderBy("line", "revision").toLocalIterator():
    print(f"line {row.line}: {row.n} rows, {row.kind}, revision {row.revision}")
last = sw.last_revision(found.drop("batch"), by="line").orderBy("line").collect()
print("last:", [(row.line, row.n, row.kind) for row in last])
