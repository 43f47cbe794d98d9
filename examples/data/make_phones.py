"""Write phones.csv: what a server would have received from eight phones on a mobile network.

Each phone makes a message twice a second, for ten minutes. A message takes a while that differs from phone to phone and
from message to message, and messages of one phone mostly keep their order. Now and then a phone has no signal for some
seconds: then all that it made meanwhile comes at once.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

PHONES, MESSAGES, EVERY_MS = 8, 1_200, 500
START = np.datetime64("2025-11-10T12:53:40.000", "ms")
SILENCES = 6  # of each phone
OVERTAKING = 0.002  # the share of messages that the next one of the same phone overtakes


def main() -> None:
    """Write the file beside this one."""
    random = np.random.default_rng(7)
    sent, came, phone, message, took = (np.concatenate(each) for each in zip(*map(_phone, _each(random)), strict=True))
    lines = ["seq,at,device,message,round_trip_ms"]
    for seq, row in enumerate(np.lexsort((message, phone, came))):
        at = str(START + np.timedelta64(int(sent[row]), "ms")).replace("T", " ")
        lines.append(f"{seq},{at},phone_{phone[row]},{message[row]},{took[row]}")
    Path(__file__).with_name("phones.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _each(random: np.random.Generator) -> list[tuple[int, np.random.Generator]]:
    return list(enumerate(random.spawn(PHONES), start=1))


def _phone(which: tuple[int, np.random.Generator]) -> tuple[np.ndarray, ...]:
    """Return when messages were made and came (ms), whose they are, their numbers, and how long a round trip took."""
    number, random = which
    sent = random.integers(0, EVERY_MS) + np.arange(MESSAGES) * EVERY_MS + random.integers(-8, 9, MESSAGES)
    delay = random.uniform(60, 110) + random.gamma(1.2, 25, MESSAGES)
    silent_from = np.sort(random.uniform(sent[20], sent[-20], SILENCES))
    for start, long in zip(silent_from, np.minimum(random.exponential(900, SILENCES), 4_300), strict=True):
        hit = (sent >= start) & (sent < start + long)
        delay = np.where(hit, np.maximum(delay, start + long - sent + random.uniform(60, 110)), delay)
    kept = np.maximum.accumulate(sent + delay)  # a phone sends one message after the other
    came = np.where(random.random(MESSAGES) < OVERTAKING, kept + EVERY_MS, kept)
    back = random.gamma(2, 35, MESSAGES)
    return sent, came, np.full(MESSAGES, number), np.arange(MESSAGES), np.round(came - sent + back).astype(int)


if __name__ == "__main__":
    main()
