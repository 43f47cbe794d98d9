"""The same figures for Prometheus, OpenTelemetry and logs; what is in names must not break a format."""

from __future__ import annotations

import json
import logging
import sys
import urllib.request

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from prometheus_client.parser import text_string_to_metric_families

import slackwater as sw
from slackwater.errors import MissingExtraError, ParameterError
from slackwater.metrics.batch import Batch
from slackwater.metrics.catalog import METRICS
from slackwater.metrics.events import LOGGER, log_batch, log_end
from slackwater.metrics.monitor import Monitor

HOSTILE = 'a"b\\c\n<script>{x="1"}\x1b[31m'
BATCH = Batch(id="7", query="jams", number=3, observed={"operator": "join", "arrived": 10, "late": 2, "late_late": 2})


@pytest.fixture
def monitor():
    with Monitor() as made:
        yield made


def samples_of(text: str) -> dict[str, float]:
    return {sample.name: sample.value for family in text_string_to_metric_families(text) for sample in family.samples}


def test_counters_have_the_names_that_prometheus_expects(monitor):
    monitor.figures.on_batch(BATCH)
    assert 10 == samples_of(monitor.text())["slackwater_arrived_rows_total"]


def test_a_hostile_name_of_a_query_comes_back_as_it_was(monitor):
    monitor.figures.on_batch(Batch(id="7", query=HOSTILE, number=0, observed={}))
    families = text_string_to_metric_families(monitor.text())
    assert {HOSTILE} == {sample.labels["query"] for family in families for sample in family.samples}


def test_every_metric_is_read_at_the_address(monitor):
    monitor.serve(0, "127.0.0.1")
    with urllib.request.urlopen(f"http://127.0.0.1:{monitor.port}/metrics", timeout=10) as answer:
        read = answer.read().decode()
    assert [] == [name for name in METRICS if f"# HELP slackwater_{name}" not in read]


def test_the_address_is_free_again_when_the_monitor_is_closed():
    with Monitor() as first:
        first.serve(0, "127.0.0.1")
        port = first.port
    with Monitor() as second:
        second.serve(port, "127.0.0.1")
        assert port == second.port


def test_a_port_that_is_taken_is_refused_with_a_remedy(monitor):
    monitor.serve(0, "127.0.0.1")
    with Monitor() as other, pytest.raises(ParameterError, match=r"port must be free on 127\.0\.0\.1"):
        other.serve(monitor.port, "127.0.0.1")


def test_the_file_follows_the_figures(monitor, tmp_path):
    monitor.write(tmp_path / "slackwater.prom")
    monitor.figures.on_batch(BATCH)
    monitor.changed()
    assert 10 == samples_of((tmp_path / "slackwater.prom").read_text())["slackwater_arrived_rows_total"]


def test_a_file_that_cannot_be_written_any_more_stops_no_query(monitor, tmp_path, caplog):
    (tmp_path / "gone").mkdir()
    monitor.write(tmp_path / "gone" / "slackwater.prom")
    (tmp_path / "gone" / "slackwater.prom").unlink()
    (tmp_path / "gone").rmdir()
    monitor.changed()
    assert "figures are not written" in caplog.text


def test_opentelemetry_reads_the_same_values(monitor):
    reader = InMemoryMetricReader()
    monitor.show_to_otel(MeterProvider([reader]))
    monitor.figures.on_batch(BATCH)
    metrics = reader.get_metrics_data().resource_metrics[0].scope_metrics[0].metrics
    (late,) = [metric for metric in metrics if metric.name == "slackwater.late_rows"]
    (point,) = late.data.data_points
    assert (2, {"query": "jams", "operator": "join", "reason": "late"}) == (point.value, dict(point.attributes))


def test_opentelemetry_reads_nothing_after_the_monitor_was_closed(monitor):
    reader = InMemoryMetricReader()
    monitor.show_to_otel(MeterProvider([reader]))
    monitor.figures.on_batch(BATCH)
    monitor.close()
    assert reader.get_metrics_data() is None


def test_what_is_no_provider_is_refused(monitor):
    with pytest.raises(ParameterError, match="otel must be a MeterProvider or True, got 'yes'"):
        monitor.show_to_otel("yes")


@pytest.mark.parametrize(
    ("module", "use", "extra"),
    [
        ("prometheus_client", Monitor.text, "prometheus"),
        ("opentelemetry.metrics", lambda m: m.show_to_otel(True), "otel"),
    ],
)
def test_what_is_not_installed_is_named_with_its_extra(monitor, monkeypatch, module, use, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'slackwater\[{extra}\]'"):
        use(monitor)


def test_a_batch_is_a_line_of_json(monitor, tmp_path):
    monitor.log(tmp_path / "log.jsonl")
    log_batch(BATCH)
    (line,) = (tmp_path / "log.jsonl").read_text().splitlines()
    found = json.loads(line)
    assert ("batch", "jams", 3, 10) == tuple(found[name] for name in ("event", "query", "batch", "arrived"))


def test_a_failure_is_one_line_however_many_its_text_has(monitor, tmp_path):
    monitor.log(tmp_path / "log.jsonl")
    log_end("7", HOSTILE, "ValueError: bad\n  at worker\n")
    (line,) = (tmp_path / "log.jsonl").read_text().splitlines()
    found = json.loads(line)
    assert ("ERROR", HOSTILE, f"{HOSTILE}: failed: ValueError: bad") == (
        found["level"],
        found["query"],
        found["message"],
    )


def test_logging_is_as_it_was_when_the_monitor_is_closed(tmp_path):
    before = LOGGER.level, LOGGER.propagate, list(LOGGER.handlers)
    with Monitor() as monitor:
        monitor.log(tmp_path / "log.jsonl")
        assert LOGGER.isEnabledFor(logging.INFO)
    assert before == (LOGGER.level, LOGGER.propagate, list(LOGGER.handlers))


def test_what_is_no_session_is_refused():
    with pytest.raises(ParameterError, match="spark must be a SparkSession, got 'str'"):
        sw.monitor("local")


@pytest.mark.parametrize(("use", "parameter"), [(Monitor.write, "file"), (Monitor.log, "log")])
def test_a_file_in_no_folder_is_refused_with_a_remedy(monitor, tmp_path, use, parameter):
    with pytest.raises(ParameterError, match=f"{parameter} must be a file that can be written"):
        use(monitor, tmp_path / "none" / "file")
