"""Sends what `data.generate` wrote at a rate, in a process of its own: produce.py FOLDER SERVERS ROWS_PER_SECOND."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
from confluent_kafka import Producer

from tests.kafka.data import STREAMS
from tests.kafka.job import end_with_the_test

CHUNK = 2_000


def main(folder: Path, servers: str, rate: float) -> None:
    end_with_the_test()
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 5, "enable.idempotence": True, "log_level": 3})
    began, sent = time.monotonic(), 0
    for batch in pq.ParquetFile(folder / "sent.parquet").iter_batches(CHUNK):
        for number, topic in enumerate(STREAMS):
            rows = batch.filter(pc.equal(batch["stream"], number))
            keys = pc.cast(rows["area"], "string")
            producer.produce_batch(topic, rows.select(["value"]).append_column("key", keys).to_pylist())
        sent += batch.num_rows
        producer.poll(max(0.0, began + sent / rate - time.monotonic()))
        while len(producer) > 50_000:
            producer.poll(0.05)
    producer.flush(60)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
