"""Every controller that slackwater has, in a few configurations each: found, not listed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from slackwater import control
from slackwater.contracts import ControllerConfig

# Values to try for a parameter of a controller, by its name.
EXAMPLES: Mapping[str, Sequence[Any]] = {
    "slack": ("0 seconds", "3 seconds"),
    "cap": ("2 seconds",),
    "alpha": (0.5,),
}


def controller_configs() -> Iterator[ControllerConfig]:
    """Yield every public controller of `slackwater.control`; those that wrap another wrap each plain one.

    >>> from slackwater.control import Capped, MaxDelay
    >>> Capped(MaxDelay(), cap="2 seconds") in set(controller_configs())
    True
    """
    classes = [getattr(control, name) for name in control.__all__]
    configs = [found for found in classes if dataclasses.is_dataclass(found) and hasattr(found, "build")]
    plain = [made for found in configs if not _wraps(found) for made in _made(found, EXAMPLES)]
    yield from plain
    for wrapper in filter(_wraps, configs):
        yield from _made(wrapper, {**EXAMPLES, "inner": plain})


def _wraps(config: Any) -> bool:
    return any(field.name == "inner" for field in dataclasses.fields(config))


def _made(config: Any, examples: Mapping[str, Sequence[Any]]) -> Iterator[ControllerConfig]:
    needed = [field.name for field in dataclasses.fields(config) if field.default is dataclasses.MISSING]
    unknown = [name for name in needed if name not in examples]
    if unknown:
        raise LookupError(f"{config.__name__} needs {unknown}: add values to slackwater.testing.discover.EXAMPLES")
    for values in product(*(examples[name] for name in needed)):
        yield config(**dict(zip(needed, values, strict=True)))
