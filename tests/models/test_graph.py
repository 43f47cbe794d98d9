from __future__ import annotations

import itertools

import numpy as np
import pytest

from slackwater.errors import ParameterError
from slackwater.models.graph import (
    Graph,
    Link,
    meets_deadline,
    operator_latency,
    slack_ready_of_graph,
)


def test_e35_the_latency_of_a_graph_is_that_of_its_longest_path():
    graph = Graph(("x", "y", "w"), (Link("x", "y"), Link("x", "w", communication=4)))
    assert 8 == graph.longest_path({"x": 1, "y": 5, "w": 3})


def test_a_chain_adds_its_latencies_up():
    assert 9 == Graph.chain("join", "count", "top").longest_path({"join": 5, "count": 3, "top": 1})


def test_an_operator_that_no_link_names_is_a_path_of_its_own():
    assert 7 == Graph(("a", "b", "c"), (Link("a", "b"),)).longest_path({"a": 1, "b": 2, "c": 7})


def test_the_longest_path_is_the_longest_of_all_paths_on_random_graphs():
    rng = np.random.default_rng(1)
    for _ in range(30):
        names = tuple("abcdef")
        links = tuple(
            Link(one, other, communication=float(rng.integers(0, 5)))
            for one, other in itertools.combinations(rng.permutation(names).tolist(), 2)
            if rng.random() < 0.4
        )
        latency = {name: float(rng.integers(0, 9)) for name in names}
        assert max(_all_paths(names, links, latency)) == Graph(names, links).longest_path(latency)


def _all_paths(names, links, latency):
    def onward(name):
        yield latency[name]
        for link in links:
            if link.source == name:
                yield from (latency[name] + link.communication + rest for rest in onward(link.target))

    return [length for name in names for length in onward(name)]


def test_a_cycle_is_refused_by_name():
    with pytest.raises(ParameterError, match=r"links must have no cycle, got '(a -> b -> a|b -> a -> b)'"):
        Graph(("a", "b"), (Link("a", "b"), Link("b", "a")))


def test_a_link_to_nowhere_is_refused():
    with pytest.raises(ParameterError, match="links must name one of a, got 'b'"):
        Graph(("a",), (Link("a", "b"),))


@pytest.mark.parametrize("operators", [(), ("a", "a")])
def test_operators_have_names_of_their_own(operators):
    with pytest.raises(ParameterError, match="each with its own name"):
        Graph(operators)


def test_eq_1_the_slowest_thread_is_the_latency():
    assert 7 == operator_latency([(1, 2), (6, 1), (0, 5)])


def test_eq_3_a_latency_equal_to_the_deadline_is_too_long():
    assert [True, False] == [meets_deadline(latency, 6) for latency in (5, 6)]


def test_eq_5_slack_ready_events_add_up():
    assert 10 == slack_ready_of_graph({"join": 6, "count": 4})
