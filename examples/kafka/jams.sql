-- From topics to a topic, in one file; broker.py and producer.py run beside it:
--   slackwater run examples/kafka/jams.sql --checkpoint out/kafka/sql --once
-- build/kafka is what `make kafka` fills. Elsewhere, instead of spark.jars:
--   SET spark.jars.packages = 'org.apache.spark:spark-sql-kafka-0-10_2.13:<version of Spark>';
SET spark.jars = 'build/kafka/connector/*.jar';

CREATE STREAM bus (line INT, area INT, delay INT) WITH (
  format = 'kafka', kafka.bootstrap.servers = '127.0.0.1:9092', subscribe = 'bus', startingOffsets = 'earliest',
  event_time = 'header:happened', arrival = 'append_time');
CREATE STREAM scats (area INT, flow INT) WITH (
  format = 'kafka', kafka.bootstrap.servers = '127.0.0.1:9092', subscribe = 'scats', startingOffsets = 'earliest',
  event_time = 'header:happened', arrival = 'append_time');

CREATE SINK jams WITH (format = 'kafka', kafka.bootstrap.servers = '127.0.0.1:9092', topic = 'jams', key = 'area');
CREATE SINK missed WITH (format = 'kafka', kafka.bootstrap.servers = '127.0.0.1:9092', topic = 'missed');

INSERT INTO jams
SELECT event_time, bus.line, bus.area, bus.delay, scats.flow
FROM bus [5 SECONDS], scats [5 SECONDS]
WHERE bus.area = scats.area AND bus.delay > 150 AND scats.flow > 420
WITH RECALL 0.99 OVER 30 SECONDS
LATE TO missed;
