"""Heaps of events in one array."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.heaps import ARRIVAL, NODE_FIELDS, NONE, ROW, SIBLING, TIME, grown, pop, push

EVENTS = st.lists(st.tuples(st.integers(-3, 9), st.integers(0, 4)), min_size=1, max_size=40)


@settings(max_examples=200, deadline=None)
@given(EVENTS, st.lists(st.booleans(), max_size=60))
def test_what_is_popped_between_pushes_is_always_the_least(events, pops):
    nodes, root, held = np.zeros((len(events), NODE_FIELDS), np.int64), NONE, []
    turns = iter(pops)
    for node, (time, arrival) in enumerate(events):
        nodes[node, [TIME, ARRIVAL, ROW]] = time, arrival, node
        root = push(nodes, root, node)
        held.append((time, arrival, node))
        while held and next(turns, False):
            assert min(held) == tuple(nodes[root, [TIME, ARRIVAL, ROW]])
            held.remove(min(held))
            root = pop(nodes, root)
    for least in sorted(held):
        assert least == tuple(nodes[root, [TIME, ARRIVAL, ROW]])
        root = pop(nodes, root)
    assert root == NONE


def test_more_nodes_are_free_before_those_that_were_free():
    nodes, free = grown(*grown(np.empty((0, NODE_FIELDS), np.int64), NONE, 2), 4)
    chain = []
    while free != NONE:
        chain.append(free)
        free = int(nodes[free, SIBLING])
    assert [2, 3, 0, 1] == chain
