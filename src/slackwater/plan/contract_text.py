"""Contracts as one line of text, for the command line and for labels: parse and print are inverse.

A text begins with what is wanted and goes on with clauses in any order, each at most once:

    recall 0.95 [over <duration>] [every <duration>] [cap <duration>] [by <controller>]
    drop 0.01, likewise
    error 0.03 [confidence <share>] [of <value>[, <value>]] [every <duration>] [cap <duration>] [by <controller>]
    fixed <duration> | max | none, each with [every <duration>] [cap <duration>]
    deadline <duration> [latency <duration>] [every <duration>] [cap <duration>] [by <controller>]
    drop 0.01 over 1 minute & deadline 5 seconds: the first as far as the second allows

`over` is the measurement period, `every` the adaptation interval; a share may be a percentage: `drop 1%`. Upper and
lower case are the same, but in the names of values.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from itertools import pairwise

from slackwater.combined import Combined
from slackwater.contracts import (
    Contract,
    ControllerConfig,
    DropRatio,
    FixedSlack,
    MaxSlack,
    NoSlack,
    Recall,
    RelativeError,
)
from slackwater.control import (
    PD,
    AdaptiveMax,
    AlphaPD,
    BoundedDrops,
    BoundedError,
    LateDegreeModel,
    ModelSearch,
    NeededSlack,
    NormalDelay,
    SLTuner,
    Tcp,
)
from slackwater.deadline import Deadline
from slackwater.errors import ParameterError
from slackwater.time import Duration, DurationLike

CONTROLLERS: Mapping[str, ControllerConfig] = {
    "needed": NeededSlack(),  # what a recall contract uses unless it says otherwise
    "model-search": ModelSearch(),
    "model-search-eq": ModelSearch(selectivity="eq"),
    "model-search-eq-uncalibrated": ModelSearch(selectivity="eq", calibration="none"),
    "late-degree": LateDegreeModel(),
    "pd": PD(),
    "alpha-pd": AlphaPD(),
    "needed-strict": NeededSlack(tolerance=0),
    "bounded-drops": BoundedDrops(),  # what a drop ratio uses unless it says otherwise
    "bounded-error": BoundedError(),  # what a relative error uses unless it says otherwise
    "normal-delay": NormalDelay(),
    "adaptive-max": AdaptiveMax(),
    "sl-tuner": SLTuner(),  # of a deadline
    "tcp": Tcp(),  # likewise
}
EXAMPLES = (
    '"recall 0.95 over 1 minute", "recall 0.99 over 1 minute cap 30 seconds by model-search", '
    '"drop 1% over 1 minute", "error 3% confidence 0.95", '
    '"deadline 6 seconds", "fixed 2 seconds", "max" or "none"'
)

_CLAUSES = ("over", "every", "cap", "by", "latency", "confidence", "of")
_ALLOWED: Mapping[str, tuple[str, ...]] = {
    "recall": ("over", "every", "cap", "by"),
    "drop": ("over", "every", "cap", "by"),
    "error": ("confidence", "of", "every", "cap", "by"),
    "deadline": ("latency", "every", "cap", "by"),
    **dict.fromkeys(("fixed", "max", "none"), ("every", "cap")),
}
_INTERVAL = Duration.of("1 second")


def parse_contract(text: str, *, over: DurationLike = "1 minute", every: DurationLike = _INTERVAL) -> Contract:
    """Read a contract from text; `over` and `every` hold where the text does not say.

    A target over less than `every` is adapted once per period, unless the text says how often.

    >>> parse_contract("recall 0.95 over 5 minutes cap 30 seconds") == Recall(0.95, over="5 minutes", cap="30 seconds")
    True
    >>> parse_contract("drop 1%") == DropRatio(0.01)
    True
    >>> parse_contract("error 3% confidence 0.9 of n") == RelativeError(0.03, confidence=0.9, of="n")
    True
    >>> parse_contract("fixed 2 seconds") == FixedSlack("2 seconds")
    True
    >>> parse_contract("recall 0.99 & deadline 5 seconds") == Recall(0.99) & Deadline("5 seconds")
    True
    """
    if "&" in text:
        first, second = (parse_contract(part, over=over, every=every) for part in _both(text))
        return first & second
    kind, value, clauses = _split(text)
    cap = _duration(clauses, "cap")
    interval = Duration.of(clauses.get("every", every), parameter="every")  # 0 is no interval: the contract says so
    match kind:
        case "recall" | "drop":
            period = Duration.of(clauses.get("over", over), parameter="over")
            interval = interval if "every" in clauses else min(interval, period)
            how = _controller(text, clauses.get("by"))
            target = _target(text, kind, value)
            promise = Recall if kind == "recall" else DropRatio
            return promise(target, over=period, cap=cap, adaptation_interval=interval, controller=how)
        case "deadline":
            latency = _duration(clauses, "latency") or Duration.ZERO
            how = _controller(text, clauses.get("by"))
            return Deadline(value, latency=latency, cap=cap, adaptation_interval=interval, controller=how)
        case "error":
            return _relative_error(text, value, clauses, cap, interval)
        case "fixed":
            return FixedSlack(Duration.of(value, parameter="fixed"), cap=cap, adaptation_interval=interval)
        case "max":
            return MaxSlack(cap=cap, adaptation_interval=interval)
        case _:
            return NoSlack(cap=cap, adaptation_interval=interval)


def contract_text(contract: Contract) -> str:
    """Print a contract as text that `parse_contract` reads back.

    A controller must be one of `CONTROLLERS`; a fixed slack that differs between streams has no text.

    >>> contract_text(Recall(0.95, cap="30 seconds", controller=ModelSearch()))
    'recall 0.95 over 1 minute cap 30 seconds by model-search'
    >>> contract_text(MaxSlack(adaptation_interval="5 seconds"))
    'max every 5 seconds'
    """
    if isinstance(contract, Combined):
        return f"{contract_text(contract.first)} & {contract_text(contract.second)}"
    parts = [_head(contract)]
    if contract.interval != _INTERVAL:
        parts.append(f"every {contract.interval}")
    if contract.longest_wait is not None:
        parts.append(f"cap {contract.longest_wait}")
    if contract.controller is not None:
        parts.append(f"by {_name(contract)}")
    return " ".join(parts)


def _head(contract: Contract) -> str:
    match contract:
        case Recall():
            return f"recall {contract.target!r} over {contract.period}"
        case DropRatio():
            return f"drop {contract.target!r} over {contract.period}"
        case RelativeError():
            named = f" of {', '.join(contract.of)}" if contract.of else ""
            return f"error {contract.bound!r} confidence {contract.confidence!r}{named}"
        case FixedSlack() if not contract.by_stream:
            return f"fixed {contract.slack}"
        case Deadline():
            return f"deadline {contract.limit}" + (f" latency {contract.latency}" if contract.latency else "")
        case MaxSlack():
            return "max"
        case NoSlack():
            return "none"
    raise ParameterError("contract", contract, must="have a text", remedy=f"such as {EXAMPLES}")


def _name(contract: Contract) -> str:
    if contract.quality is not None or isinstance(contract, Deadline):
        for name, config in CONTROLLERS.items():
            if config == contract.controller:
                return name
    raise ParameterError(
        "controller",
        contract.controller,
        must="have a name",
        remedy=f"of a contract with a target or a deadline, these have: {', '.join(CONTROLLERS)}",
    )


def _both(text: str) -> list[str]:
    parts = text.split("&")
    if len(parts) != 2:
        raise _wrong(text, "have one & between two contracts")
    return parts


def _split(text: str) -> tuple[str, str, dict[str, str]]:
    """Return the kind of contract, its own value and its clauses."""
    given, words = text.split(), text.lower().split()
    if not words or words[0] not in _ALLOWED:
        raise _wrong(text, f"begin with one of: {', '.join(_ALLOWED)}")
    starts = [0, *(number for number, word in enumerate(words) if word in _CLAUSES), len(words)]
    parts = [words[start:stop] for start, stop in pairwise(starts)]
    for number, (start, stop) in enumerate(pairwise(starts)):
        if words[start] == "of":
            parts[number] = ["of", *given[start + 1 : stop]]  # names are as they are
    kind, *own = parts[0]
    if bool(own) != (kind in ("recall", "drop", "error", "deadline", "fixed")):
        raise _wrong(text, f"say what {kind} is" if not own else f"have nothing between {kind} and its clauses")
    clauses: dict[str, str] = {}
    for clause, *value in parts[1:]:
        if clause not in _ALLOWED[kind]:
            raise _wrong(text, f"have no clause {clause!r} for {kind}")
        if clause in clauses or not value:
            raise _wrong(text, f"say {clause!r} once, with a value")
        clauses[clause] = " ".join(value)
    return kind, " ".join(own), clauses


def _relative_error(
    text: str, value: str, clauses: Mapping[str, str], cap: Duration | None, interval: Duration
) -> RelativeError:
    """Read a bound on the error, and which values it is for."""
    confidence = _target(text, "confidence", clauses.get("confidence", "0.95"))
    named = tuple(name.strip() for name in clauses["of"].split(",")) if "of" in clauses else ()
    for name in named:
        if len(name.split()) != 1 or name.lower() in _CLAUSES:
            raise _wrong(text, f"have names of one word each after of, with commas between them, not {name!r}")
    return RelativeError(
        _target(text, "error", value),
        confidence=confidence,
        of=named,
        cap=cap,
        adaptation_interval=interval,
        controller=_controller(text, clauses.get("by")),
    )


def _duration(clauses: Mapping[str, str], clause: str) -> Duration | None:
    return Duration.of(clauses[clause], parameter=clause) if clause in clauses else None


def _target(text: str, kind: str, value: str) -> float:
    try:
        if value.endswith("%"):
            return float(Decimal(value[:-1].rstrip()) / 100)  # exact: 0.1 % is 0.001
        return float(value)
    except (ValueError, InvalidOperation) as error:
        raise _wrong(text, f"have a number after {kind}") from error


def _controller(text: str, name: str | None) -> ControllerConfig | None:
    if name is None:
        return None
    if name not in CONTROLLERS:
        raise _wrong(text, f"name a controller after by: {', '.join(CONTROLLERS)}")
    return CONTROLLERS[name]


def _wrong(text: str, must: str) -> ParameterError:
    return ParameterError("contract", text, must=must, remedy=f"such as {EXAMPLES}")
