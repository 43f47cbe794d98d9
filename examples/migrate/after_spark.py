"""The same counts with a contract: in every minute at most one row in a hundred comes too late."""

import sys

from pyspark.sql import functions as F  # noqa: N812

import slackwater as sw

incoming, out = sys.argv[1:]
spark = sw.session()
rows = spark.readStream.schema("ts TIMESTAMP, line STRING").option("maxFilesPerTrigger", 1).json(incoming)

rows = sw.with_watermark(rows, "ts", sw.DropRatio(0.01))

counts = rows.groupBy(F.window("ts", "1 minute"), "line").count()
query = counts.writeStream.format("parquet").option("checkpointLocation", f"{out}/checkpoint")
query.trigger(availableNow=True).start(f"{out}/counts").awaitTermination()
