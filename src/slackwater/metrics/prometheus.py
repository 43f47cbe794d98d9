"""Figures as Prometheus reads them: from an address, or from a file for the node exporter's textfile collector."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from slackwater.errors import MissingExtraError, ParameterError
from slackwater.metrics.catalog import METRICS, PREFIX

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.core import Metric as Family

    from slackwater.metrics.figures import Figures


class Prometheus:
    """Shows figures to Prometheus: `text()` is what it would read now."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        try:
            from prometheus_client import CollectorRegistry
        except ImportError as error:
            raise MissingExtraError("prometheus", needed="prometheus_client") from error
        self.registry: CollectorRegistry = CollectorRegistry()
        self.registry.register(self)

    def collect(self) -> Iterator[Family]:
        """Return all metrics; called by prometheus_client for every reading."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        kinds = {"counter": CounterMetricFamily, "gauge": GaugeMetricFamily}
        samples = self._figures.samples()
        for metric in METRICS.values():
            labels = ["query", "operator", *([metric.label] if metric.label else [])]
            family = kinds[metric.kind](f"{PREFIX}_{metric.name}", metric.meaning, labels=labels)
            for sample in samples:
                if sample.metric is metric:
                    family.add_metric([sample.labels.get(label, "") for label in labels], sample.value)
            yield family

    def text(self) -> str:
        """Return the figures in Prometheus' text format."""
        from prometheus_client import generate_latest

        return generate_latest(self.registry).decode()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Replace a file in one step, so that nobody reads half of it."""
        from prometheus_client import write_to_textfile

        write_to_textfile(os.fspath(path), self.registry)

    def serve(self, port: int, address: str) -> Any:
        """Answer at an address; return what `shutdown()` and `server_close()` end."""
        from prometheus_client import start_http_server

        try:
            server, _ = start_http_server(port, addr=address, registry=self.registry)
        except (OSError, OverflowError) as error:
            raise ParameterError(
                "port", port, must=f"be free on {address}", remedy=f"0 takes any that is ({error})"
            ) from error
        return server
