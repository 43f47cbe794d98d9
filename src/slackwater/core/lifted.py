"""Events that were added up beforehand: in the place of values there are states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slackwater.core.algebra import State


@dataclass(frozen=True, slots=True)
class Lifted:
    """States of one function, one for each entry: they stand where an `Input` has values, and are not lifted again.

    >>> import numpy as np
    >>> Lifted((np.array([7, 8]), np.array([1, 1])))[np.array([1])].state
    (array([8]), array([1]))
    """

    state: State

    def __len__(self) -> int:
        return len(self.state[0])

    def __getitem__(self, which: Any) -> Lifted:
        return Lifted(tuple(column[which] for column in self.state))
