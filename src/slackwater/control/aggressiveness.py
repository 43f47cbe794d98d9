"""How early to prod so that early results are as accurate as was asked: the feedback of PROD Sec. 6.2(c), Fig. 6.4."""

from __future__ import annotations

import math

import numpy as np

from slackwater.errors import ParameterError
from slackwater.estimate.arrays import Floats

LEAST, MOST = 1 / 64, 1.0  # of the slide
GAIN = 0.06  # how far one window moves it
WORST = 10.0  # times the error that is allowed: more than that of one window does not count
AHEAD = math.log(1.5)  # how far a function may be ahead of the one that holds all back


class Aggressiveness:
    """Chooses the aggressiveness: as early as the accuracy allows, by what final results say about early ones.

    Errors grow with the aggressiveness. Its logarithm moves by gain * (allowed - error) / allowed for each window, so
    the mean error over n windows differs from the allowed one by at most (what the logarithm moved) / (gain * n): the
    average is kept, whatever the errors do, as long as the bounds (1/64 and 1 of the slide) are not reached. Each
    function has its own; the least of them counts.

    >>> chosen = Aggressiveness(accuracy=0.9, functions=1)
    >>> for _ in range(400):
    ...     chosen.observe(np.array([0.2 * chosen.get()]))  # PROD's sums: the error is a share of what is missing
    >>> round(chosen.get(), 2)
    0.5
    """

    def __init__(
        self, *, accuracy: float, functions: int, start: float = 0.25, state: list[float] | None = None
    ) -> None:
        if not 0 < accuracy < 1:
            raise ParameterError(
                "accuracy", accuracy, must="be in (0, 1)", remedy="such as 0.98; leave it out for no feedback"
            )
        self._allowed = 1 - accuracy
        self._logs = np.array(state) if state else np.full(functions, math.log(start))

    def observe(self, errors: Floats) -> None:
        """Take in the errors (1 - accuracy) of the early results of a window, one for each function; NaN is unknown."""
        relative = np.minimum(np.where(np.isnan(errors), self._allowed, errors) / self._allowed, WORST)
        moved = np.clip(self._logs + GAIN * (1 - relative), math.log(LEAST), math.log(MOST))
        self._logs = np.minimum(moved, moved.min() + AHEAD)

    def get(self) -> float:
        """Return the aggressiveness for the next prod: a share of the slide."""
        return float(np.exp(self._logs.min()))

    def snapshot(self) -> list[float]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return [float(each) for each in self._logs]
