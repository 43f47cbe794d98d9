"""Changes of bytes that need nothing but a seed: the short form of fuzzing, for every run of the tests."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

_EDGES = (0, 1, 127, 128, 255)


def mutations(seeds: Sequence[bytes], words: Sequence[str], *, count: int, seed: int) -> Iterator[bytes]:
    """Return inputs near to the seeds, the same ones for the same seed."""
    rng = random.Random(seed)
    for number in range(count):
        data = bytearray(seeds[number % len(seeds)])
        for _ in range(rng.choice((1, 1, 2, 4))):
            _change(data, seeds, words, rng)
        yield bytes(data)


def _change(data: bytearray, seeds: Sequence[bytes], words: Sequence[str], rng: random.Random) -> None:
    start = rng.randrange(len(data) + 1)
    stop = min(len(data), start + rng.choice((0, 1, 1, 4, 16)))
    match rng.randrange(6):
        case 0:
            data[start:stop] = bytes(rng.choice(_EDGES) for _ in range(stop - start))
        case 1:
            del data[start:stop]
        case 2:
            data[start:start] = data[start:stop] * rng.choice((1, 1, 50))
        case 3:
            data[start:stop] = rng.choice(words).encode()
        case 4:
            other = rng.choice(seeds)
            data[start:] = other[rng.randrange(len(other) + 1) :]
        case _:
            if start < len(data):
                data[start] ^= 1 << rng.randrange(8)
