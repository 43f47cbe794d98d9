"""Join the topics bus and scats into the topic jams, each result exactly once: query.py [SERVERS].

It takes what there is and ends; run it again after the producer, and it goes on. Kill it at any moment, with kill -9:
the next run repeats nothing and leaves nothing out.
"""

import sys

import slackwater as sw
from slackwater.testing.kafka_broker import connector_jars

servers = sys.argv[1] if sys.argv[1:] else "127.0.0.1:9092"
# elsewhere: spark__jars__packages="org.apache.spark:spark-sql-kafka-0-10_2.13:<version of Spark>"
spark = sw.session(spark__jars=connector_jars())
spark.sparkContext.setLogLevel("ERROR")


def topic(name: str, columns: str) -> sw.Stream:
    """Read a topic: event time from a header, arrival as the broker saw it."""
    rows = sw.from_kafka(
        spark, servers, name, columns=columns, time="header:happened", arrival="append_time", starting="earliest"
    )
    return sw.stream(rows, name=name, event_time="event_time", arrival="arrival")


bus = topic("bus", "bus INT, line INT, area INT, delay INT")
scats = topic("scats", "sensor INT, area INT, flow INT")
jams = sw.join(
    bus,
    scats,
    on="area",
    where="bus.delay > 150 and scats.flow > 420",
    within="5 seconds",
    contract=sw.Recall(0.99, over="30 seconds"),
)
query = jams.start(
    results=sw.to_kafka(servers, "jams", key="bus.area"),
    late=sw.to_kafka(servers, "missed"),
    decisions="out/kafka/decisions",
    checkpoint="out/kafka/checkpoint",
    trigger={"availableNow": True},
)
query.awaitTermination()
counted = (query.lastProgress or {}).get("observedMetrics", {}).get("slackwater")
print(f"the last batch: {counted.asDict() if counted else 'nothing new'}")
