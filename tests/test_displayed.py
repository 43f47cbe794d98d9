"""What notebooks show: without running anything, and with everything from outside escaped."""

from __future__ import annotations

from html.parser import HTMLParser

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.metrics.batch import Batch
from slackwater.metrics.monitor import Monitor

HOSTILE = "<script>alert(1)</script>&\"'"


class _Tags(HTMLParser):
    """Notes which tags there are, and that each is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert tag == self.open.pop()


def tags(shown: object) -> set[str]:
    parser = _Tags()
    parser.feed(shown._repr_html_())
    parser.close()
    assert [] == parser.open
    return parser.found


def hostile_stream() -> sw.Stream:
    rows = pa.table({HOSTILE: [1, 4, 3, 5, 1], "line": [HOSTILE, "a", "b", HOSTILE, "c"]})
    return sw.stream(rows, name=HOSTILE, event_time=HOSTILE, unit="s")


def hostile_monitor() -> Monitor:
    monitor = Monitor()
    monitor.figures.on_batch(Batch(id="7", query=HOSTILE, number=0, observed={"arrived": 1, "late": 1}))
    return monitor


def after_a_run(output: sw.Output) -> sw.Output:
    assert output.results is not None
    return output


def shown_values() -> dict[str, object]:
    stream = hostile_stream()
    contract = sw.DropRatio(0.1, over="1 second")
    reordered = sw.reorder(stream, contract=contract)
    profile = sw.profile(stream.frame, event_time=HOSTILE, unit="s", by="line")
    advice = sw.advise(stream.frame, event_time=HOSTILE, unit="s", contract=contract, by="line")
    ran = after_a_run(sw.reorder(stream, contract=sw.NoSlack()))
    values = [stream, contract, contract & sw.Deadline("5 seconds"), reordered, ran, profile, advice, hostile_monitor()]
    return {f"{type(value).__name__} {number}": value for number, value in enumerate(values)}


@pytest.mark.parametrize("value", [pytest.param(value, id=name) for name, value in shown_values().items()])
def test_what_is_shown_is_html_in_which_nothing_from_outside_is_a_tag(value):
    assert tags(value) <= {"div", "b", "pre", "table", "tr", "th", "td"}


def test_a_contract_is_shown_with_what_it_means():
    shown = sw.Recall(0.99, cap="5 seconds")._repr_html_()
    assert "<tr><th>target</th><td>0.99</td></tr>" in shown
    assert "<tr><th>cap</th><td>5 seconds</td></tr>" in shown


def test_an_output_is_shown_by_its_plan_and_not_run(bus):
    output = sw.reorder(bus([1, 4, 3]), contract=sw.NoSlack())
    assert "reorder &#x27;bus&#x27; by ts" in output._repr_html_()
    assert "_run" not in vars(output)


def test_an_output_that_has_run_says_where_the_rows_are(bus):
    shown = after_a_run(sw.reorder(bus([1, 4, 3]), contract=sw.NoSlack()))._repr_html_()
    assert "<tr><th>results</th><td>2</td></tr><tr><th>late, reason late</th><td>1</td></tr>" in shown


def test_an_output_that_has_run_shows_its_last_decisions(bus):
    shown = after_a_run(sw.reorder(bus(list(range(20))), contract=sw.FixedSlack("1 second")))._repr_html_()
    assert 5 == shown.count("<td>1000000</td>")


def test_every_output_in_process_is_shown(bus):
    one, other = bus([1, 2, 3]), bus([1, 2, 4])
    other = sw.stream(other.frame, name="tram", event_time="ts", unit="s")
    contract = sw.FixedSlack("1 second")
    jams = sw.join(one, other, on="line", within="2 seconds", contract=contract)
    merged = sw.merge(one, other, contract=contract)
    counts = sw.aggregate(one, size="2 seconds", values={"n": sw.count()}, contract=contract)
    chain = sw.aggregate(merged, size="2 seconds", values={"n": sw.count()})
    text = sw.sql("SELECT ts FROM bus", bus=one, contract=contract)
    assert [] == [
        each for each in (jams, merged, counts, chain, text) if "<pre>" not in after_a_run(each)._repr_html_()
    ]
