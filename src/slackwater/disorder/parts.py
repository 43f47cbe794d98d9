"""The parts of a stream, such as its keys: which code each has, and what is known of its delays. Bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.disorder import kernels
from slackwater.estimate.kernels import MOST_BINS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slackwater.events import Rows
    from slackwater.time import Times

MOST_PARTS = 10_000  # that are followed: the first ones to arrive; the rows of all others are counted together
MOST_HISTOGRAMS = 1_000  # of parts: 48 KB each
_LATEST = np.iinfo(np.int64).max


class PartNames:
    """Gives the values of a column codes 0, 1, ... as they arrive; -1 once there are `MOST_PARTS`.

    >>> names = PartNames()
    >>> names.codes_of(pa.array(["b", None, "b"])).tolist(), names.codes_of(pa.array(["a", "b"])).tolist()
    ([0, 1, 0], [2, 0])
    >>> names.known
    ['b', None, 'a']
    """

    def __init__(self, known: Sequence[str | None] = (), *, most: int = MOST_PARTS) -> None:
        self.known = list(known)
        self._most = most

    def codes_of(self, values: pa.Array[Any]) -> Rows:
        """Return the code of each value. O(values + known), without a loop over rows."""
        plain: Any = values.dictionary_decode() if isinstance(values, pa.DictionaryArray) else values
        encoded = plain.dictionary_encode("encode")  # of null too, which a dictionary that was read may leave out
        texts = encoded.dictionary.cast(pa.string())
        used = pc.unique(encoded.indices)  # in the order of arrival
        fresh = texts.take(used).filter(pc.invert(self._is_known(texts.take(used)))).unique().to_pylist()
        self.known += fresh[: max(0, self._most - len(self.known))]
        of_dictionary = pc.index_in(texts, value_set=self._as_array()).fill_null(-1).to_numpy(zero_copy_only=False)
        codes: Rows = of_dictionary.astype(np.int64)[encoded.indices.to_numpy(zero_copy_only=False)]
        return codes

    def _as_array(self) -> pa.Array[Any]:
        return pa.array(self.known, pa.string())

    def _is_known(self, texts: pa.Array[Any]) -> pa.Array[Any]:
        return pc.is_in(texts, value_set=self._as_array())


class PartTally:
    """Counts delays by part: against the part's own clock, against the clock of all, and how far these differ."""

    def __init__(self, clocks: Times | None = None) -> None:
        self.numbers = np.zeros((0, kernels.PART_SIZE), np.int64)
        self.counts = np.zeros((0, 3, MOST_BINS), np.int64)
        self.other_rows = 0  # of parts that are not followed
        if clocks is not None:
            self._grow(len(clocks))
            self.numbers[:, kernels.P_CLOCK] = clocks

    def on_batch(self, times: Times, arrivals: Times, before: Times, codes: Rows, first_row: int) -> None:
        """Count the events of a batch; `before` is the clock of all before the step of each."""
        self._grow(int(codes.max(initial=-1)) + 1)
        self.other_rows += int(np.count_nonzero(codes < 0))
        kernels.follow_parts(times, arrivals, before, codes, first_row, self.numbers, self.counts)

    def merge(self, later: PartTally) -> None:
        """Add what was counted of the events after these, with the same codes, from the clocks where these end."""
        self._grow(len(later.numbers))
        mine, theirs = self.numbers[: len(later.numbers)], later.numbers
        for place in (kernels.P_ROWS, kernels.OWN_OUT, kernels.BEHIND_OUT, kernels.SKEW_OUT):
            mine[:, place] += theirs[:, place]
        for place in (kernels.P_CLOCK, kernels.OWN_LARGEST, kernels.BEHIND_LARGEST, kernels.SKEW_LARGEST):
            np.maximum(mine[:, place], theirs[:, place], out=mine[:, place])
        np.minimum(mine[:, kernels.P_LEAST], theirs[:, kernels.P_LEAST], out=mine[:, kernels.P_LEAST])
        self.counts[: len(later.counts)] += later.counts
        self.other_rows += later.other_rows

    def _grow(self, parts: int) -> None:
        if parts <= len(self.numbers):
            return
        fresh = np.zeros((parts - len(self.numbers), kernels.PART_SIZE), np.int64)
        fresh[:, [kernels.P_CLOCK, kernels.P_BEFORE]] = kernels.NONE
        fresh[:, kernels.P_LEAST] = _LATEST
        self.numbers = np.concatenate([self.numbers, fresh])
        histograms = min(parts, MOST_HISTOGRAMS) - len(self.counts)
        self.counts = np.concatenate([self.counts, np.zeros((histograms, 3, MOST_BINS), np.int64)])
