"""Counts per line and minute, as Spark is taught: somebody guessed that ten seconds are long enough to wait."""

import sys

from pyspark.sql import functions as F  # noqa: N812

import slackwater as sw

incoming, out = sys.argv[1:]
spark = sw.session()
rows = spark.readStream.schema("ts TIMESTAMP, line STRING").option("maxFilesPerTrigger", 1).json(incoming)

rows = rows.withWatermark("ts", "10 seconds")

counts = rows.groupBy(F.window("ts", "1 minute"), "line").count()
query = counts.writeStream.format("parquet").option("checkpointLocation", f"{out}/checkpoint")
query.trigger(availableNow=True).start(f"{out}/counts").awaitTermination()
