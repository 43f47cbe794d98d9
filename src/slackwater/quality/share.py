"""How sure a share is."""

from __future__ import annotations

_Z = 1.959963984540054  # of 95 %


def wilson(hits: int, total: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson): honest also for few, and for none or all of them.

    >>> [round(each, 3) for each in wilson(10, 10)], wilson(0, 0)
    ([0.722, 1.0], (0.0, 1.0))
    """
    if not total:
        return 0.0, 1.0
    share, spread = hits / total, _Z * _Z / total
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * (share * (1 - share) / total + spread / (4 * total)) ** 0.5 / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)
