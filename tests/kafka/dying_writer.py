"""Begins to write batch 0, and dies by SIGKILL once the broker has its rows: dying_writer.py SERVERS TOPIC WRITER."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator

import pyarrow as pa

from slackwater.spark.kafka_transaction import Transaction
from tests.kafka.topics import ends


def main(servers: str, topic: str, writer: str) -> None:
    def rows() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"key": ["k"], "value": ['"from a dead writer"']})
        while not ends(servers, topic):
            pass  # each look asks the broker
        os.kill(os.getpid(), signal.SIGKILL)

    list(Transaction(writer, topic, 0, {"bootstrap.servers": servers}).write(rows()))


if __name__ == "__main__":
    main(*sys.argv[1:])
