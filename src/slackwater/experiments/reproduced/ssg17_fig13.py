"""SSG17 Fig. 13: policies under a deadline of 35 s, where the buses fall behind for ever."""

from __future__ import annotations

from slackwater.experiments.frame.claims import Claim, Judged, number
from slackwater.experiments.frame.rows import Rows
from slackwater.experiments.frame.ssg17 import (
    LARGEST,
    LOW,
    OURS,
    TCP,
    THEIRS,
    TUNER,
    less,
    misses,
    under_deadline,
)

_WHERE = "Sec. 6, Fig. 13"


def _nothing_at_the_end(rows: Rows) -> Judged:
    last = [sum(row["jams"][-20:]) for row in rows.where(policy=THEIRS)]
    return Judged(f"{max(last):,} jams in the last 20 s", max(last) == 0)


EXPERIMENT = under_deadline(
    "Fig. 13",
    "Policies under a deadline of 35 s, a delay that grows",
    "Every bus report adds a delay of 1 ms for itself and all that follow.",
    (
        Claim(
            "SLTuner detects when the delay will penalize the deadline, at approximately 75 seconds",
            _WHERE,
            number(75, "ready_until_s", "s", policy=THEIRS),
            why="It follows from the delays: at 500 reports a second, 1 ms each, buses are 35 s behind after 105 s. "
            "Those of the document are drawn in Fig. 11 alone, which we do not have.",
        ),
        Claim(
            "when the sources are further apart than the window, no events will be detected",
            _WHERE,
            _nothing_at_the_end,
            why="Whatever is further behind than slack and window finds nothing; some areas are still met until then.",
        ),
        Claim("Static Low always satisfies the deadline", _WHERE, misses(LOW, False)),
        Claim("Static Low misses more events than SLTuner", _WHERE, less("detected", LOW, THEIRS), why=TUNER),
        Claim("SLTuner detects the violation before it occurs", _WHERE, misses(THEIRS, False), why=TUNER),
        Claim("SLTuner detects more than TCP Adaptation", _WHERE, less("detected", TCP, THEIRS), why=TUNER),
        Claim("SLTuner misses less often than Max Timestamp", _WHERE, less("missed", THEIRS, LARGEST), why=TUNER),
        Claim("(ours) our tuner detects more than TCP Adaptation", "our aim", less("detected", TCP, OURS)),
    ),
    name="traffic-growing",
    deadline="35 seconds",
    smoke="60 seconds",
)
