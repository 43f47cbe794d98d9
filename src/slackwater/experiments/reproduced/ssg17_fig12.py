"""SSG17 Fig. 12: policies under a deadline of 6 s, where the buses are late from time to time."""

from __future__ import annotations

from slackwater.experiments.frame.claims import POINTS, Claim, Judged
from slackwater.experiments.frame.rows import Rows
from slackwater.experiments.frame.ssg17 import (
    HIGH,
    LARGEST,
    LOW,
    OURS,
    POLICIES,
    TCP,
    THEIRS,
    TUNER,
    all_ready,
    less,
    misses,
    of,
    under_deadline,
)

_WHERE = "Sec. 6, Fig. 12"


def _low_latency(rows: Rows) -> Judged:
    found = dict(zip(POLICIES, of(rows, "latency_s", *POLICIES), strict=True))
    lowest = min(found, key=lambda name: found[name])
    return Judged(f"{found[LOW]:.3g} s; lowest {lowest}", lowest == LOW)


def _nearly_all(rows: Rows) -> Judged:
    own, most = of(rows, "detected", OURS, HIGH)
    return Judged(f"{own / most:.1%} of StaticHigh", own >= (1 - POINTS) * most)


def _detects_all(rows: Rows) -> Judged:
    found = dict(zip(POLICIES, of(rows, "detected", *POLICIES), strict=True))
    return Judged(f"{found[HIGH]:,.0f} jams", found[HIGH] == max(found.values()))


EXPERIMENT = under_deadline(
    "Fig. 12",
    "Policies under a deadline of 6 s, delays that come and go",
    "Buses delayed by Zipf: 20 s of up to 10 ms a report, 50 s of up to 2 ms.",
    (
        Claim("SLTuner is able to efficiently satisfy the deadline", _WHERE, misses(THEIRS, False), why=TUNER),
        Claim("and has fewer slack-ready tuples than Static Low", _WHERE, less("slack_ready", THEIRS, LOW), why=TUNER),
        Claim(
            "Static Low minimizes the latency",
            _WHERE,
            _low_latency,
            why="The strict tuner, which the document does not have, waits even less for most of the run.",
        ),
        Claim("Static High detects all the events", _WHERE, _detects_all),
        Claim(
            "TCP Adaptation adjusts after the deadline has been violated",
            _WHERE,
            misses(TCP, True),
            why="It halves the slack whenever the latency has risen, which here is long before the deadline.",
        ),
        Claim("TCP Adaptation has fewer slack-ready tuples than Static Low", _WHERE, less("slack_ready", TCP, LOW)),
        Claim(
            "Max Timestamp does not process slack-ready tuples",
            _WHERE,
            all_ready(LARGEST),
            why="It decides once a second: while the buses fall behind, it waits for the difference of a second ago.",
        ),
        Claim("Max Timestamp violates the deadline", _WHERE, misses(LARGEST, True)),
        Claim("(ours) our tuner detects 98 % of what Static High does", "our aim", _nearly_all),
    ),
    name="traffic",
    deadline="6 seconds",
    smoke="35 seconds",
)
