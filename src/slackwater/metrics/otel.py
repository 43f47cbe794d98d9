"""Figures as instruments of OpenTelemetry, read when its exporter asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from slackwater.errors import MissingExtraError, ParameterError
from slackwater.metrics.catalog import METRICS, PREFIX

if TYPE_CHECKING:
    from opentelemetry.metrics import CallbackOptions, Observation

    from slackwater.metrics.catalog import Metric
    from slackwater.metrics.figures import Figures


def show_to_otel(figures: Figures, provider: Any) -> Callable[[], None]:
    """Make an instrument for each metric: `provider` is a MeterProvider, or True for the global one.

    Returns a function that ends it: OpenTelemetry keeps instruments for ever, but from then on they have no values.
    """
    try:
        from opentelemetry.metrics import get_meter
    except ImportError as error:
        raise MissingExtraError("otel", needed="opentelemetry") from error
    if provider is not True and not callable(getattr(provider, "get_meter", None)):
        remedy = "True takes the global one: opentelemetry.metrics.set_meter_provider"
        raise ParameterError("otel", provider, must="be a MeterProvider or True", remedy=remedy)
    meter = get_meter(PREFIX) if provider is True else provider.get_meter(PREFIX)
    makers = {"counter": meter.create_observable_counter, "gauge": meter.create_observable_gauge}
    shown = [figures]
    for metric in METRICS.values():
        makers[metric.kind](
            f"{PREFIX}.{metric.name}",
            callbacks=[_reader(shown, metric)],
            unit=metric.unit,
            description=metric.meaning,
        )
    return shown.clear


def _reader(shown: list[Figures], metric: Metric) -> Callable[[CallbackOptions], Iterable[Observation]]:
    from opentelemetry.metrics import Observation

    def read(options: CallbackOptions) -> Iterable[Observation]:
        del options
        samples = [each for figures in shown for each in figures.samples() if each.metric is metric]
        return [Observation(each.value, each.labels) for each in samples]

    return read
