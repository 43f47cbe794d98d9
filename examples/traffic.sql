-- Slow buses that meet heavy traffic, from one file: slackwater run examples/traffic.sql
-- On Spark, the same file: slackwater run examples/traffic.sql --checkpoint out/checkpoint --once

CREATE STREAM bus WITH (dataset = 'traffic', duration = '2 minutes');
CREATE STREAM scats WITH (dataset = 'traffic', duration = '2 minutes');

CREATE SINK jams WITH (path = 'out/jams.parquet');

-- Of the meetings that streams in order would give, at most 1 in 100 is missed, in every half minute.
INSERT INTO jams
SELECT event_time, bus.line, bus.area, bus.delay, scats.flow
FROM bus [5 SECONDS], scats [5 SECONDS]
WHERE bus.area = scats.area AND bus.delay > 150 AND scats.flow > 420
WITH RECALL 0.99 OVER 30 SECONDS
LATE TO side;

-- How long buses are delayed, by area; 95 % of the values are at most 3 % off.
SELECT area, count(*) AS reports, avg(delay) AS delay
FROM bus [RANGE 1 MINUTE, SLIDE 1 MINUTE]
WHERE area < 3
GROUP BY area
WITHIN ERROR 3%;
