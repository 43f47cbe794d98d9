"""What a user would have to write to get a value: the repr of contracts and of what goes with them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import is_dataclass
from inspect import Parameter, signature
from typing import Any

from slackwater.time import Duration


def concise(value: Any, *, always: Collection[str] = (), given: Mapping[str, Any] | None = None) -> str:
    """Return the call that makes a value, without what is as it is by default.

    `always` names what is shown all the same; `given` has what was given, where the value keeps something else.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Wait:
    ...     least: Duration
    ...     most: Duration = Duration.of("1 minute")
    >>> concise(Wait(Duration.of("2 seconds"), Duration.of("60 seconds")))
    "Wait('2 seconds')"
    >>> concise(Wait(Duration.of("2 seconds"), Duration.of("90 seconds")))
    "Wait('2 seconds', most='90 seconds')"
    """
    shown = []
    for name, parameter in signature(type(value)).parameters.items():
        if parameter.kind is Parameter.VAR_POSITIONAL:
            continue  # there only to be refused
        held = {**(given or {})}.get(name, getattr(value, name))
        if name not in always and _is_default(held, parameter):
            continue
        is_first = parameter.default is Parameter.empty and parameter.kind is Parameter.POSITIONAL_OR_KEYWORD
        shown.append(_text(held) if is_first else f"{name}={_text(held)}")
    return f"{type(value).__name__}({', '.join(shown)})"


def _is_default(held: Any, parameter: Parameter) -> bool:
    """Whether a value is what it would be without being given; a duration may be its text there."""
    return bool(held == parameter.default) or (isinstance(held, Duration) and str(held) == str(parameter.default))


def _text(held: Any) -> str:
    if isinstance(held, Duration):
        return repr(str(held))
    if isinstance(held, tuple):
        return f"({', '.join(map(_text, held))}{',' if len(held) == 1 else ''})"
    return concise(held) if is_dataclass(held) and not isinstance(held, type) else repr(held)
