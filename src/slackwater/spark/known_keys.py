"""What a bucket knows of its keys, in Spark's state store: pages of Arrow IPC.

A key has a number, which it keeps, its values, its clock, the largest event time that it has passed on, how many rows
it holds and when it last spoke. A call reads all pages and writes one with the keys that changed; pages that are not
much larger than that are put into it, so that there are few: O(log keys). A later page says what is true.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from slackwater.core.keyed_buffer import new_keys
from slackwater.core.keyed_kernels import CLOCK, HELD, PASSED_ON
from slackwater.pipeline.by_keys import number_keys
from slackwater.spark.sealed import sealed, unsealed
from slackwater.spark.state import ChunkStore, unreadable_chunk

if TYPE_CHECKING:
    import numpy.typing as npt

    from slackwater.events import Rows
    from slackwater.time import Times

_NUMBER = "__slackwater_key"
_SAVED = {CLOCK: "__slackwater_clock", PASSED_ON: "__slackwater_passed_on", HELD: "__slackwater_held"}
_SPOKE = "__slackwater_spoke"


class KnownKeys:
    """The keys of a bucket. `columns` are those of `by`, without rows."""

    def __init__(self, store: ChunkStore, pages: Iterable[int], columns: pa.Table) -> None:
        self._store = store
        self._names = columns.column_names
        found = [(number, self._read(number)) for number in pages]
        self._pages = {number: page[_NUMBER].to_numpy() for number, page in found}
        table = pa.concat_tables([page for _, page in found]) if found else None
        if table is not None:
            last = _last_of_each(table[_NUMBER].to_numpy())
            if last.min(initial=0) < 0:
                raise unreadable_chunk(found[0][0])
            table = table.take(last)
        self._table = columns if table is None else table.select(self._names).cast(columns.schema)
        self.values = new_keys(self._table.num_rows)  # what the core knows of each key
        self.spoke: Times = np.zeros(self._table.num_rows, np.int64)  # processing time of its last row, in ms
        if table is not None:
            for field, name in _SAVED.items():
                self.values[:, field] = table[name].to_numpy()
            self.spoke = table[_SPOKE].to_numpy().copy()
        self._before = self.values.copy(), self.spoke.copy()

    @property
    def keys(self) -> pa.Table:
        """The values of each key, in the order of their numbers."""
        return self._table

    def page_of(self, numbers: Rows) -> pa.Table:
        """Return some of the keys as the one page of a bucket of their own: they are numbered anew, in this order."""
        page = self._page(numbers, self.values)
        place = page.column_names.index(_NUMBER)
        return page.set_column(place, _NUMBER, pa.array(np.arange(len(numbers))))

    def number(self, rows: pa.Table, *, processing_time: int) -> Rows:
        """Return the numbers of the keys of rows that come, and remember that they spoke. New ones become known."""
        keys = rows.select(self._names)
        numbers = number_keys(self._table, keys)
        known = self._table.num_rows
        count = int(numbers.max(initial=known - 1)) + 1
        if count > known:
            first = np.unique(numbers, return_index=True)[1]
            self._table = pa.concat_tables([self._table, keys.take(first[-(count - known) :])])
            self.values = np.concatenate((self.values, new_keys(count - known)))
            self.spoke = np.append(self.spoke, np.zeros(count - known, np.int64))
        self.spoke[numbers] = processing_time // 1_000
        return numbers

    def commit(self, values: npt.NDArray[np.int64], next_number: int) -> tuple[Sequence[int], int]:
        """Write the keys that changed; return the pages and the next number."""
        numbers = self._changed(values)
        if not len(numbers):
            return list(self._pages), next_number
        for page in sorted(self._pages, reverse=True):
            if len(self._pages[page]) > 2 * len(numbers):
                break
            numbers = np.union1d(numbers, self._pages.pop(page))
            self._store.delete(page)
        self._store.write(next_number, sealed(self._page(numbers, values)))
        self._pages[next_number] = numbers
        return list(self._pages), next_number + 1

    def _changed(self, values: npt.NDArray[np.int64]) -> Rows:
        before, spoke = self._before
        old = len(spoke)
        changed = self.spoke[:old] != spoke
        for field in _SAVED:
            changed |= values[:old, field] != before[:, field]
        return np.append(np.flatnonzero(changed), np.arange(old, len(values)))

    def _page(self, numbers: Rows, values: npt.NDArray[np.int64]) -> pa.Table:
        page = self._table.take(numbers).append_column(_NUMBER, pa.array(numbers))
        for field, name in _SAVED.items():
            page = page.append_column(name, pa.array(values[numbers, field]))
        return page.append_column(_SPOKE, pa.array(self.spoke[numbers]))

    def _read(self, number: int) -> pa.Table:
        try:
            page = unsealed(self._store.read(number))
        except (pa.ArrowInvalid, KeyError, TypeError) as error:
            raise unreadable_chunk(number) from error
        own = [_NUMBER, *_SAVED.values(), _SPOKE]
        if not {*self._names, *own} <= set(page.column_names) or any(page[each].type != pa.int64() for each in own):
            raise unreadable_chunk(number)
        return page


def _last_of_each(numbers: Rows) -> Rows:
    """Return where each of the numbers 0, 1, ... occurs last; -1 where one is missing, or none of them makes sense."""
    if numbers.min(initial=0) < 0 or numbers.max(initial=-1) >= len(numbers):
        return np.array([-1])
    last = np.full(int(numbers.max(initial=-1)) + 1, -1)
    last[numbers] = np.arange(len(numbers))
    return last
