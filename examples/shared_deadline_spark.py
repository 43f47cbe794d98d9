"""Two operators on Spark with one deadline: a join, and a merge of what it finds. A tuner splits the waiting."""

import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import slackwater as sw

folder = Path(tempfile.mkdtemp())
spark = sw.session()
spark.sparkContext.setLogLevel("ERROR")
numbers = count()


def arrive(number: int) -> None:
    """Put ten seconds of rows into the folder of each stream; the buses are two seconds behind."""
    for name, behind in (("bus", 2), ("scats", 0), ("works", 0)):
        (folder / name).mkdir(exist_ok=True)
        rows = [(10 * number + second - behind, area) for second in range(10) for area in ("north", "south")]
        columns = [pa.array(column) for column in zip(*rows, strict=True)]
        hidden = folder / name / f".{number}.parquet"  # Spark must not see it before it is complete
        pq.write_table(pa.table(columns, ["ts", "area"]), hidden)
        hidden.rename(folder / name / f"{number}.parquet")


def read(name: str) -> sw.Stream:
    """Read the files of a stream as they come."""
    frame = spark.readStream.schema("ts BIGINT, area STRING").parquet(str(folder / name))
    return sw.stream(frame, name=name, event_time="ts", unit="s")


def feed(queries: list, done: Callable[[], bool]) -> None:
    """Let rows arrive every second until something is done, or a query has failed."""
    for number in numbers:
        arrive(number)
        time.sleep(1)
        failed = [query.exception() for query in queries if query.exception()]
        if failed:
            raise failed[0]
        if done():
            return


deadline = sw.Deadline("2 minutes")
shared = sw.shared_deadline(deadline, "jams", "alerts", folder=folder / "deadline")
often = {"processingTime": "3 seconds"}
arrive(next(numbers))

jams = sw.join(read("bus"), read("scats"), on="area", within="1 second", contract=deadline)
first = shared.start("jams", jams, results=folder / "jams", checkpoint=folder / "jams-checkpoint", trigger=often)
feed([first], lambda: any(folder.glob("jams/batch=*/*.parquet")))

found = spark.readStream.schema(jams.results.schema).parquet(str(folder / "jams" / "batch=*"))
found = sw.stream(found, name="jams", event_time="event_time")
alerts = sw.merge(found, read("works"), contract=deadline)
second = shared.start("alerts", alerts, results=folder / "alerts", checkpoint=folder / "checkpoint", trigger=often)
feed([first, second], lambda: all(any(shared.control(name).glob("alerts-*")) for name in ("jams", "alerts")))
for query in (second, first):
    query.stop()

waiting = sum(slack.microseconds for slack in shared.slacks.values())
print("told:", *sorted(shared.slacks))
print("all that they wait is within the deadline:", waiting < deadline.limit.microseconds)
print("streams in one order:", spark.read.parquet(str(folder / "alerts")).select("stream").distinct().count())
