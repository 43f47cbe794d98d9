"""All experiments by name: each is a file of the package `reproduced`, `ji16_fig7.py` is `ji16-fig7`."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from slackwater.errors import ParameterError
from slackwater.experiments import reproduced
from slackwater.experiments.frame.description import Experiment
from slackwater.wording import did_you_mean

_ORDER = ("ji16", "sun15", "kim", "prod", "ssg17", "ours")


@cache
def names() -> tuple[str, ...]:
    """Return the names of all experiments, document by document.

    >>> names()[0]
    'ji16-fig6'
    """
    found = [module.name.replace("_", "-") for module in pkgutil.iter_modules(reproduced.__path__)]
    return tuple(sorted(found, key=_place))


def load(name: str) -> Experiment:
    """Return an experiment by its name."""
    if name not in names():
        remedy = f"{did_you_mean(name, names())}there are: all, {', '.join(names())}"
        raise ParameterError("name", name, must="be an experiment", remedy=remedy)
    experiment: Experiment = import_module(f"{reproduced.__name__}.{name.replace('-', '_')}").EXPERIMENT
    return experiment


def load_all() -> dict[str, Experiment]:
    """Return all experiments."""
    return {name: load(name) for name in names()}


def _place(name: str) -> tuple[object, ...]:
    """Sort figures by number, then tables; documents in their order, ours last.

    >>> sorted(["ji16-fig10", "ours-step", "ji16-table2", "ji16-fig7"], key=_place)
    ['ji16-fig7', 'ji16-fig10', 'ji16-table2', 'ours-step']
    """
    document, *parts = name.split("-")
    kind = parts[0].rstrip("0123456789")
    numbers = [int(part) for part in (parts[0][len(kind) :], *parts[1:]) if part.isdigit()]
    return _ORDER.index(document), kind, numbers, name
