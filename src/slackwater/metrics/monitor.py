"""All that figures are shown through, in one value that can be closed."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from typing import Any, Self

from slackwater.displayed import Displayed, table
from slackwater.errors import ParameterError
from slackwater.metrics.events import LOGGER
from slackwater.metrics.figures import Figures, Sample
from slackwater.metrics.json_lines import JsonLines
from slackwater.metrics.otel import show_to_otel
from slackwater.metrics.prometheus import Prometheus


class Monitor(Displayed):
    """Shows the figures of queries until it is closed; made by `sw.monitor`.

    >>> with Monitor() as monitor:
    ...     monitor.samples()
    []
    """

    def __init__(self) -> None:
        self.figures = Figures()
        self.port: int | None = None  # where Prometheus reads
        self._after: list[Callable[[], object]] = []
        self._ends: list[Callable[[], object]] = []

    def __repr__(self) -> str:
        return f"<Monitor of {self.figures.queries} queries>"

    def _shown(self) -> Iterable[str]:
        rows = [(each.metric.name, *each.labels.values(), each.value) for each in self.samples()]
        width = max(map(len, rows), default=0)
        padded = [(*row[:-1], *[""] * (width - len(row)), row[-1]) for row in rows]
        yield table(("metric", "query", "operator", *[""] * (width - 4), "value"), padded)

    def samples(self) -> list[Sample]:
        """Return the values of all metrics as they are now."""
        return self.figures.samples()

    def text(self) -> str:
        """Return them in Prometheus' text format."""
        return Prometheus(self.figures).text()

    def serve(self, port: int, address: str) -> None:
        """Let Prometheus read them at an address; port 0 takes one that is free."""
        server = Prometheus(self.figures).serve(port, address)
        self.port = server.server_address[1]
        self.ends_with(server.server_close)
        self.ends_with(server.shutdown)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write them to a file, now and whenever they change."""
        prometheus = Prometheus(self.figures)
        try:
            prometheus.write(path)
        except OSError as error:
            raise _unwritable("file", path, error) from error
        self._after.append(lambda: prometheus.write(path))

    def show_to_otel(self, provider: Any) -> None:
        """Let OpenTelemetry read them."""
        self.ends_with(show_to_otel(self.figures, provider))

    def log(self, where: str | os.PathLike[str] | None) -> None:
        """Write what happens to queries as lines of JSON: to a file, or (None) to where errors go."""
        try:
            handler = logging.StreamHandler() if where is None else logging.FileHandler(where, encoding="utf-8")
        except OSError as error:
            raise _unwritable("log", where, error) from error
        handler.setFormatter(JsonLines())
        LOGGER.addHandler(handler)
        before, LOGGER.propagate = LOGGER.propagate, False
        level = LOGGER.level
        LOGGER.setLevel(logging.INFO)

        def end() -> None:
            LOGGER.removeHandler(handler)
            LOGGER.propagate = before
            LOGGER.setLevel(level)
            handler.close()

        self.ends_with(end)

    def changed(self) -> None:
        """Tell those who do not ask by themselves; what they cannot do is logged, and stops no query."""
        for tell in self._after:
            try:
                tell()
            except OSError as error:
                LOGGER.warning("figures are not written: %s", error)

    def ends_with(self, end: Callable[[], object]) -> None:
        """Let something be called by `close`, before what was named earlier."""
        self._ends.append(end)

    def close(self) -> None:
        """Stop listening and showing."""
        while self._ends:
            self._ends.pop()()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _unwritable(parameter: str, path: object, error: OSError) -> ParameterError:
    remedy = f"make its folder first ({error.strerror})"
    return ParameterError(parameter, str(path), must="be a file that can be written", remedy=remedy)
