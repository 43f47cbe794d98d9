"""Send traffic that is out of order to the topics bus and scats: producer.py [SERVERS [SECONDS OF TRAFFIC]]."""

import json
import sys

from confluent_kafka import Producer

from slackwater.sources.catalog import load

servers = sys.argv[1] if sys.argv[1:] else "127.0.0.1:9092"
seconds = sys.argv[2] if sys.argv[2:] else "20"
streams = load("traffic", duration=f"{seconds} seconds").streams
rows = [(row.pop("arrival"), topic, row) for topic, table in streams.items() for row in table.to_pylist()]
rows.sort(key=lambda each: each[0])  # as they arrive, not as they happened

producer = Producer({"bootstrap.servers": servers})
for number, (_, topic, row) in enumerate(rows):
    happened = row.pop("event_time").isoformat()
    payload = json.dumps({name: value for name, value in row.items() if name != "arrival_time"})
    # the event time goes into a header; it could as well be a field of the payload
    producer.produce(topic, payload, key=str(row["area"]), headers={"happened": happened})
    if number % 5000 == 0:
        producer.produce(topic, "{ this is no JSON")  # as real topics have some
        producer.poll(0)
producer.flush()
print(f"sent {len(rows)} rows, and {-(-len(rows) // 5000)} that cannot be read")
