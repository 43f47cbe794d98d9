"""Valid queries of every kind; the documents' own come first."""

from __future__ import annotations

SUN15 = """SELECT
    MAX(S.Timestamp, T.Timestamp) as Timestamp, S.ItemID as ItemID,
    S.Name, T.Order
FROM SensorOne as S KEEP 3 SECOND, SensorTwo as T KEEP 2 SECOND
SLIDE 1 SECOND
WHERE S.ItemID = T.ItemID"""
SUN15_EXPERIMENT = """SELECT
  MAX(A.Timestamp, B.Timestamp) as Timestamp, A.Value, B.Value
FROM StreamA as A KEEP 2 SECOND, StreamB as B KEEP 3 SECOND
SLIDE 10 MILLISECOND"""
JI16_DISTANCE = "SELECT * FROM S1 [5 SEC], S2 [5 SEC] WHERE dist(S1.xCoord, S1.yCoord, S2.xCoord, S2.yCoord) < 5"
JI16_THREE = "SELECT * FROM S1 [5 SEC], S2 [5 SEC], S3 [5 SEC] WHERE S1.a1=S2.a1 AND S2.a1=S3.a1"
JI16_FOUR = (
    "SELECT * FROM S1 [3 SEC], S2 [3 SEC], S3 [3 SEC], S4 [3 SEC] WHERE S1.a1=S2.a1 AND S1.a2=S3.a2 AND S1.a3=S4.a3"
)
KIM_PLAIN = "SELECT MAX(value)\n    FROM Sensors [RANGE 30 seconds]"
KIM = "SELECT MAX(value)\n      FROM Sensors [RANGE 5 minutes, DRATIO 1%]"
PROD_GROUPS = "Select Sum(volume)\nfrom S\nWindow [RANGE=60s, SLIDE=20s]\nGroup By sensor_id"
PROD_TICKS = "Select Sum(volume) from S Window [RANGE=50, SLIDE=50]"
PROD = "Select Sum(volume) from S\nWindow[Range 10min, Slide 2min]"
PROD_EQUALS = "Select Max(speed) from S\nWindow[Range=30 Second, Slide=10 Second]"
DOCUMENTS = (
    SUN15,
    SUN15_EXPERIMENT,
    JI16_DISTANCE,
    JI16_THREE,
    JI16_FOUR,
    KIM_PLAIN,
    KIM,
    PROD_GROUPS,
    PROD_TICKS,
    PROD,
    PROD_EQUALS,
)

# All of these are about the streams of `fuzz_streams`.
OURS = (
    "SELECT * FROM bus [5 SECONDS], scats [5 SECONDS] WHERE bus.area = scats.area WITH RECALL 0.99 OVER 1 MINUTE",
    "SELECT bus.line, scats.flow * 2 AS twice FROM bus [RANGE 5 SECONDS], scats [RANGE 3 s] "
    "WHERE bus.area = scats.area AND delay > 60 WITH RECALL 99% OVER 1 MINUTE AND DEADLINE 6 SECONDS LATE TO side",
    "SELECT a.line, b.line FROM bus AS a [5 s], bus AS b [5 s] WHERE a.area = b.area WITH MAX SLACK CAP 3 SECONDS",
    "SELECT line, max(delay) AS worst, count(*) AS n FROM bus [RANGE 30 SECONDS, SLIDE 10 SECONDS] WHERE delay > 5 "
    "GROUP BY line WITHIN ERROR 3% CONFIDENCE 95% OF worst EARLY 25% RAW",
    "SELECT max(delay) - min(delay) AS spread, window.end AS until FROM bus [RANGE 10 s, SLIDE 10 s] WITH DROP 1%",
    "SELECT avg(delay) AS mean FROM bus [RANGE 1 MINUTE, DRATIO 1%] GROUP BY line LATE DROP",
    "SELECT *, upper(area) AS shout FROM bus WHERE delay BETWEEN 5 AND 100 WITH DROP RATIO 1% OVER 2 MINUTES",
    "SELECT * FROM bus PARTITION BY line WITH SLACK 2 SECONDS LATE ADJUST",
    "SELECT * FROM MERGE(bus, scats) WHERE stream = 'bus' DEADLINE 6 SECONDS",
    "SELECT sum(delay) AS s FROM bus [RANGE 20 s, SLIDE 10 s] WITH NO SLACK EARLY EVERY 5 SECONDS EMPTY WINDOWS",
    "SELECT bus.area, count(*) AS n, max(delay * 2) FROM bus [5 s], scats [5 s] WHERE bus.area = scats.area "
    "WINDOW [RANGE 10 s, SLIDE 5 s] GROUP BY bus.area WITH RECALL 0.99 EARLY 25% LATE TO side",
    "SELECT a.line, b.line, count(*) AS n FROM bus AS a [5 s], bus AS b [5 s] WHERE a.area = b.area "
    "WINDOW [RANGE 20 s, SLIDE 20 s] GROUP BY a.line, b.line WITH MAX SLACK",
    "SELECT where_, sum(f) AS flow FROM (SELECT bus.area AS where_, scats.flow AS f FROM bus [5 s], scats [5 s] "
    "WHERE bus.area = scats.area WITH RECALL 0.99) AS jams [RANGE 10 s, SLIDE 10 s] GROUP BY jams.where_",
    "SELECT max(n) AS most FROM (SELECT line, count(*) AS n FROM bus [RANGE 5 s, SLIDE 5 s] GROUP BY line "
    "WITH SLACK 2 SECONDS LATE DROP) [RANGE 20 s, SLIDE 20 s]",
    "SELECT stream, count(*) AS n FROM MERGE(bus, scats) WINDOW [RANGE 20 s, SLIDE 20 s] GROUP BY stream WITH NO SLACK",
)
