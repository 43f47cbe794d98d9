"""The joins that data sets are replayed through, and over which periods their recall can be measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from slackwater.errors import DatasetError
from slackwater.wording import did_you_mean


@dataclass(frozen=True, kw_only=True)
class JoinQuery:
    """A join, and how its recall is measured unless a contract says otherwise."""

    streams: tuple[str, ...]
    within: str | Mapping[str, str]
    on: str | tuple[str, ...] | None = None
    where: str | None = None
    period: str = "1 minute"
    adaptation_interval: str = "1 second"
    granularity: str = "10 ms"  # of the constant slacks that are tried in hindsight
    options: Mapping[str, Any] = field(default_factory=dict)  # of `sw.join`, where a document joins in another way


QUERIES: Mapping[str, JoinQuery] = {
    # JI16 Sec. VI, Q x3, Q x4 and Q x2, with its windows, P and L.
    "syn3": JoinQuery(streams=("s1", "s2", "s3"), on="a1", within="5 seconds"),
    "syn4": JoinQuery(
        streams=("s1", "s2", "s3", "s4"),
        on="s1.a1 = s2.a1 and s1.a2 = s3.a2 and s1.a3 = s4.a3",
        within="3 seconds",
    ),
    "soccer": JoinQuery(
        streams=("team_a", "team_b"),
        where="dist(team_a.xcoord, team_a.ycoord, team_b.xcoord, team_b.ycoord) < 5",
        within="5 seconds",
        granularity="1 ms",  # 10 to 20 ms are enough here: coarser steps would flatter what they are compared with
    ),
    # Delays change at once: the shorter the period, the sooner that shows.
    "step": JoinQuery(
        streams=("left", "right"), on="key", within="1 second", period="10 seconds", adaptation_interval="500 ms"
    ),
    # Some 1,700 results a minute: a recall of 0.99 can be told from one of 0.98.
    "nezha": JoinQuery(streams=("spans", "logs"), on="span_id", within="10 seconds"),
    # 21 minutes of logs that lie up to 13 minutes behind. Nearly all results fall into two of these minutes, so no
    # period has enough of them throughout. With five minutes, a quarter of the measurements see the burst; the others
    # see a handful of results or none, so the share of all results says more here than Phi. A decision every 5 s, which
    # is how far most rows lie behind.
    "zeek": JoinQuery(
        streams=("ssl", "weird", "analyzer"),
        on="uid",
        within="300 seconds",
        period="5 minutes",
        adaptation_interval="5 seconds",
    ),
    # A flight is one result, some 900 a day and few at night: a week has more than 5,000 at any time of the year.
    # Delays are minutes to hours and a year is long: a decision every 2 hours is soon enough. Times are whole minutes.
    "flights": JoinQuery(
        streams=("departures", "arrivals"),
        on="flight_id",
        within="1 day",
        period="1 week",
        adaptation_interval="2 hours",
        granularity="1 minute",
    ),
}


def query_for(dataset: str) -> JoinQuery:
    """Return the join of a data set.

    >>> query_for("syn3").within
    '5 seconds'
    """
    if dataset not in QUERIES:
        remedy = f"{did_you_mean(dataset, QUERIES)}those that have: {', '.join(QUERIES)}"
        raise DatasetError(dataset, problem="has no join to be replayed through", remedy=remedy)
    return QUERIES[dataset]
