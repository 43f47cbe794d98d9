"""Run a Kafka broker on this machine until Ctrl-C: broker.py [PORT]. It needs the jars of `make kafka`."""

import sys
import tempfile
import threading
from pathlib import Path

from slackwater.testing.kafka_broker import KafkaBroker

folder = Path(tempfile.mkdtemp())
with KafkaBroker(folder, port=int(sys.argv[1]) if sys.argv[1:] else 9092) as broker:
    for topic in ("bus", "scats"):
        # the broker says when it got a row: that is what makes arrival="append_time" possible
        broker.create_topic(topic, partitions=2, message__timestamp__type="LogAppendTime")
    for topic in ("jams", "missed"):
        broker.create_topic(topic, partitions=2)
    print(f"a broker listens on {broker.servers}; its data is in {folder}", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        print("stopped")
