"""Two teams' position sensors, modeled on the soccer games of SUN15 Sec. 6.2.2 and JI16 Sec. VI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from slackwater.errors import ParameterError
from slackwater.sources.arrange import START, Column, Emitted, arrange
from slackwater.sources.dataset import Dataset
from slackwater.sources.delays import Floats, Random, exponential_delays, heavy_tail_delays, smooth
from slackwater.time import Duration, DurationLike, Times

PITCH = (105.0, 68.0)  # meters
PLAYERS = 8
RADIO_DELAY = Duration.of("40 ms")  # "most of the out-of-order tuples": (0, 40 ms]
MEAN_RADIO_DELAY = 14_000.0  # µs
RESENT_SHARE = 0.42  # some of them still arrive before the next event, which leaves about 70 % in order
STUCK_SHARE = 0.001
NETWORK_TRAVEL = 40_000.0  # µs around its mean, per team: the two clocks differ by less than 50 ms most of the time

Name: TypeAlias = Literal["ji16", "23min", "16min"]


@dataclass(frozen=True)
class Game:
    """How many events each team has, over how long, and the longest delay of each."""

    events: tuple[int, int]
    length: Duration
    longest: tuple[Duration, Duration]


_LONGEST = (Duration.of("22 seconds"), Duration.of("26 seconds"))
GAMES: Mapping[Name, Game] = {
    "ji16": Game((450_000, 450_000), Duration.of("1436.9 seconds"), _LONGEST),
    "23min": Game((342_690, 429_100), Duration.of("1436.9 seconds"), _LONGEST),
    "16min": Game((328_597, 324_006), Duration.of("987.5 seconds"), _LONGEST),
}


def soccer(*, game: Name = "ji16", seed: int = 1, duration: DurationLike | None = None) -> Dataset:
    """Make two streams, one per team, of player positions (sid, xcoord, ycoord in meters) that players really walk.

    "ji16" has about 450,000 events per stream (JI16 Sec. VI), "23min" and "16min" the counts of SUN15 Table 6.1. About
    70 % of the events are in order, the others mostly at most 40 ms behind (Fig. 6.1), one in a thousand is stuck
    longer, up to 22 s and 26 s (JI16); the teams' clocks differ by less than 50 ms most of the time (Fig. 6.2).

    >>> teams = soccer(duration="2 seconds").streams
    >>> teams["team_a"].num_rows, teams["team_a"].column_names[3:]
    (626, ['sid', 'xcoord', 'ycoord'])
    """
    if game not in GAMES:
        raise ParameterError("game", game, must="be a known game", remedy=f"use one of {', '.join(GAMES)}")
    chosen = GAMES[game]
    length = chosen.length if duration is None else Duration.of(duration)
    ball_random, *randoms = np.random.default_rng(seed).spawn(3)
    ball_seed = int(ball_random.integers(2**62))
    streams = {
        name: _team(
            random,
            events=round(events * length.microseconds / chosen.length.microseconds),
            length=length,
            longest=longest,
            first_sid=first_sid,
            ball_seed=ball_seed,
        )
        for name, first_sid, random, events, longest in zip(
            ("team_a", "team_b"), (1, 101), randoms, chosen.events, chosen.longest, strict=True
        )
    }
    return Dataset(
        "soccer" if game == "ji16" else f"soccer-{game}",
        arrange(streams),
        "Positions of the players of two teams, modeled on SUN15 Table 6.1, Fig. 6.1 and 6.2, and JI16 Sec. VI "
        f"(a model, not the recordings): game {game}, {length}. Seed {seed}.",
    )


def _team(
    random: Random, *, events: int, length: Duration, longest: Duration, first_sid: int, ball_seed: int
) -> Emitted:
    moments = (np.arange(events) + random.random(events)) * (length.microseconds / max(events, 1))
    seconds = moments / 1e6
    player = np.arange(events) % PLAYERS
    x, y = _positions(random, seconds, player, ball_seed=ball_seed)
    event_time = START + moments.astype(np.int64)
    travel = _travel_times(random, seconds, length=length, longest=longest)
    payload: dict[str, Column] = {"sid": (first_sid + player).astype(np.int32), "xcoord": x, "ycoord": y}
    return Emitted(event_time, event_time + travel, payload)


def _travel_times(random: Random, seconds: Floats, *, length: Duration, longest: Duration) -> Times:
    """Return how long each event travels: the network, plus a resend for some, plus being stuck for very few."""
    network = NETWORK_TRAVEL * (1 + smooth(random, seconds, periods=(5, 60)))
    quality = 1 + 0.5 * smooth(random, seconds, periods=(60, 300))  # the radio is better and worse for minutes
    travel = exponential_delays(random, mean=MEAN_RADIO_DELAY * quality, longest=RADIO_DELAY)
    travel[random.random(len(seconds)) >= RESENT_SHARE * quality] = 0
    stuck = np.flatnonzero(random.random(len(seconds)) < STUCK_SHARE)
    travel[stuck] = heavy_tail_delays(random, len(stuck), shortest=RADIO_DELAY, longest=longest)
    if length > longest:  # the document gives the maximum, so one event reaches it; it must arrive before the end
        travel[int(random.uniform(0, 1 - longest.microseconds / length.microseconds) * len(seconds))] = (
            longest.microseconds
        )
    return travel + network.astype(np.int64)


def _positions(random: Random, seconds: Floats, player: Times, *, ball_seed: int) -> tuple[Floats, Floats]:
    """Each player keeps around a place of his own and follows the ball, which both teams share."""
    ball = np.random.default_rng(ball_seed)
    axes = []
    for size in PITCH:
        towards_ball = smooth(ball, seconds, periods=(40, 120))
        place = random.uniform(0.25, 0.75, size=PLAYERS) * size
        reach = np.minimum(place, size - place)
        own = np.empty_like(seconds)
        for one in range(PLAYERS):
            own[player == one] = smooth(random, seconds[player == one], periods=(20, 60))
        axes.append(np.round(place[player] + reach[player] * (towards_ball + own) / 2, 2))
    return axes[0], axes[1]
