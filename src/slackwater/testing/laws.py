"""Laws that every implementation must keep: each yields named checks, for one parametrized test to run.

>>> from slackwater.control import MaxDelay
>>> [law.name for law in controller_laws(MaxDelay())][:2]
['the config pickles to an equal one', 'the config is hashable']

A class that cannot keep a law says so in the open: `skipped_laws = {name of the law: reason}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from slackwater.testing.controller_laws import CONTROLLER_LAWS
from slackwater.testing.reorder_laws import REORDER_LAWS

if TYPE_CHECKING:
    from slackwater.contracts import ControllerConfig


@dataclass(frozen=True)
class Law:
    """A named claim about one subject; `check` raises AssertionError where it does not hold."""

    name: str
    subject: ControllerConfig
    skipped: str | None  # why the subject need not keep it
    claim: Callable[[ControllerConfig], None]

    def check(self) -> None:
        """Look for a counterexample."""
        self.claim(self.subject)

    def __str__(self) -> str:
        return f"{_words(self.subject)}:{self.name}"


def controller_laws(config: ControllerConfig) -> Iterator[Law]:
    """Yield the laws of a controller on its own."""
    return _laws(config, CONTROLLER_LAWS)


def operator_laws(config: ControllerConfig) -> Iterator[Law]:
    """Yield the laws of the reorder operator, guard and late policy included, with a controller to lead it."""
    return _laws(config, REORDER_LAWS)


def _laws(config: ControllerConfig, claims: tuple[Callable[[ControllerConfig], None], ...]) -> Iterator[Law]:
    skipped = _skipped_laws(config)
    for claim in claims:
        name = claim.__name__.strip("_").replace("_", " ").replace("in order", "in-order")
        yield Law(name, config, skipped.get(name), claim)


def _skipped_laws(config: object) -> dict[str, str]:
    """Return the laws that a config is excused from, or the one that it wraps."""
    inner = getattr(config, "inner", None)
    return {**(_skipped_laws(inner) if inner else {}), **getattr(config, "skipped_laws", {})}


def _words(config: object) -> str:
    """Return a config in short, to be read in the name of a test."""
    if hasattr(config, "build"):
        return f"{type(config).__name__}({', '.join(map(_words, vars(config).values()))})"
    return "/".join(map(str, config)) if isinstance(config, tuple) else str(config)
