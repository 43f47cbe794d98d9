-- Slow buses that meet heavy traffic, in one file:
--   slackwater run examples/traffic.sql
-- The same file on Spark, which goes on from the checkpoint:
--   slackwater run examples/traffic.sql --checkpoint out/checkpoint --once

CREATE STREAM bus WITH (dataset = 'traffic', duration = '2 minutes');
CREATE STREAM scats WITH (dataset = 'traffic', duration = '2 minutes');

CREATE SINK jams WITH (path = 'out/jams');
CREATE SINK missed WITH (path = 'out/missed');

-- At times buses report seconds behind the road sensors. Meetings may be missed then, rather than come too late.
INSERT INTO jams
SELECT event_time, bus.line, bus.area, bus.delay, scats.flow
FROM bus [5 SECONDS], scats [5 SECONDS]
WHERE bus.area = scats.area AND bus.delay > 150 AND scats.flow > 420
WITH RECALL 0.99 OVER 30 SECONDS AND DEADLINE 5 SECONDS
LATE TO missed;

-- How many reports come from three areas, and how late their buses are; 95 % of the values are at most 3 % off.
SELECT area, window.end AS until, count(*) AS reports, round(avg(delay), 1) AS delay
FROM bus [RANGE 1 MINUTE, SLIDE 1 MINUTE]
WHERE area < 3
GROUP BY area
WITHIN ERROR 3%;
