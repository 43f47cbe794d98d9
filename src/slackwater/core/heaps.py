"""Many small heaps of events in one array: a reorder buffer for every key, however many there are.

Pairing heaps: an event that comes in order costs one comparison, and one that leaves O(log held) on average over all
that leave. A node is a line of an array, and whoever owns a heap knows the number of its root.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.compiled import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

TIME, ARRIVAL, ROW, KEY, CHILD, SIBLING = range(6)  # of a node; free ones have no row and are chained by SIBLING
NODE_FIELDS = 6
NONE = -1


def grown(nodes: npt.NDArray[np.int64], free: int, size: int) -> tuple[npt.NDArray[np.int64], int]:
    """Return an array of more nodes, and the first of its chain of free ones.

    >>> nodes, free = grown(np.empty((0, NODE_FIELDS), np.int64), NONE, 2)
    >>> free, nodes[:, SIBLING].tolist()
    (0, [1, -1])
    """
    old, more = len(nodes), np.full((size, NODE_FIELDS), NONE, np.int64)
    more[:old] = nodes
    more[old:, SIBLING] = np.arange(old + 1, size + 1)
    more[-1, SIBLING] = free
    return more, old


@compiled
def push(nodes: npt.NDArray[np.int64], root: int, node: int) -> int:
    """Add a node that is filled in to a heap and return the new root."""
    nodes[node, CHILD] = NONE
    nodes[node, SIBLING] = NONE
    return node if root == NONE else _meld(nodes, root, node)


@compiled
def pop(nodes: npt.NDArray[np.int64], root: int) -> int:
    """Remove the root of a heap and return the new one: its children in pairs, then all pairs together."""
    node, pairs = nodes[root, CHILD], NONE
    while node != NONE:
        first, second = node, nodes[node, SIBLING]
        node = NONE if second == NONE else nodes[second, SIBLING]
        pair = first if second == NONE else _meld(nodes, first, second)
        nodes[pair, SIBLING] = pairs
        pairs = pair
    top = NONE
    while pairs != NONE:
        rest = nodes[pairs, SIBLING]
        top = pairs if top == NONE else _meld(nodes, top, pairs)
        pairs = rest
    if top != NONE:
        nodes[top, SIBLING] = NONE
    return top


@compiled
def _meld(nodes: npt.NDArray[np.int64], one: int, other: int) -> int:
    """Hang the root that leaves later below the other."""
    if _leaves_before(nodes, other, one):
        one, other = other, one
    nodes[other, SIBLING] = nodes[one, CHILD]
    nodes[one, CHILD] = other
    return one


@compiled
def _leaves_before(nodes: npt.NDArray[np.int64], one: int, other: int) -> bool:
    """Order by (event time, arrival, row)."""
    before: bool = nodes[one, ROW] < nodes[other, ROW]
    if nodes[one, ARRIVAL] != nodes[other, ARRIVAL]:
        before = nodes[one, ARRIVAL] < nodes[other, ARRIVAL]
    if nodes[one, TIME] != nodes[other, TIME]:
        before = nodes[one, TIME] < nodes[other, TIME]
    return before
