"""The clauses that say how good, how early and where to: contracts, EARLY, LATE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from slackwater.sql.tree import EarlyClause, LateClause, Promise, PromiseKind

if TYPE_CHECKING:
    from slackwater.sql.reader import Reader

_KINDS: Mapping[str, PromiseKind] = {
    "RECALL": "recall",
    "DROP": "drop",
    "DRATIO": "drop",
    "ERROR": "error",
    "DEADLINE": "deadline",
    "SLACK": "fixed",
    "MAX": "max",
    "NO": "none",
    "PUNCTUATIONS": "punctuations",
}
_PACE = ("EVERY", "CAP")
_ALLOWED: Mapping[PromiseKind, tuple[str, ...]] = {
    "recall": ("OVER", *_PACE, "BY"),
    "drop": ("OVER", *_PACE, "BY"),
    "error": ("CONFIDENCE", "OF", *_PACE, "BY"),
    "deadline": ("LATENCY", *_PACE, "BY"),
    "fixed": _PACE,
    "max": _PACE,
    "none": _PACE,
    "punctuations": ("CAP",),
}
_DETAILS = ("OVER", "EVERY", "CAP", "BY", "LATENCY", "CONFIDENCE", "OF")
PROMISES = "WITH RECALL 0.99 OVER 1 MINUTE, WITH DROP 1%, WITHIN ERROR 3%, DEADLINE 6 SECONDS or WITH SLACK 2 SECONDS"


def begins_promise(reader: Reader) -> bool:
    """Whether a contract comes next."""
    return reader.next.is_word("WITH", "WITHIN", "DEADLINE") and not reader.ahead().is_symbol("(")


def read_promises(reader: Reader) -> list[Promise]:
    """Read WITH, and one contract or several with AND between them."""
    reader.takes_word("WITH", "WITHIN")
    found = [_promise(reader)]
    while reader.takes_word("AND"):
        reader.takes_word("WITH", "WITHIN")
        found.append(_promise(reader))
    return found


def _promise(reader: Reader) -> Promise:
    start = reader.position
    if not reader.next.is_word(*_KINDS):
        reader.expected("a contract", _KINDS, remedy=f"such as {PROMISES}")
    word = reader.take().text.upper()
    kind = _KINDS[word]
    fields: dict[str, Any] = {}
    if kind in ("recall", "drop", "error"):
        if word == "DROP":
            reader.takes_word("RATIO")
        fields["share"] = reader.share(word)
    elif kind in ("deadline", "fixed"):
        fields["span"] = reader.duration()
    elif kind in ("max", "none"):
        reader.word("SLACK")
    while reader.next.is_word(*_DETAILS):
        _detail(reader, kind, fields)
    return Promise(kind, **fields, place=reader.place_from(start))


def _detail(reader: Reader, kind: PromiseKind, fields: dict[str, Any]) -> None:
    word = reader.next.text.upper()
    if word not in _ALLOWED[kind]:
        reader.fail(f"{word} says nothing about this contract", f"it may have {', '.join(_ALLOWED[kind])}")
    if word.lower() in fields:
        reader.fail(f"{word} is here twice")
    reader.take()
    match word:
        case "BY":
            fields["by"] = _controller(reader)
        case "CONFIDENCE":
            fields["confidence"] = reader.share(word)
        case "OF":
            fields["of"] = reader.names("the name of a value")
        case _:
            fields[word.lower()] = reader.duration()


def _controller(reader: Reader) -> str:
    """Read the name of a controller, such as model-search."""
    parts = [reader.name("the name of a controller").lower()]
    while reader.takes_symbol("-"):
        parts.append(reader.name("the rest of the name").lower())
    return "-".join(parts)


def read_early(reader: Reader) -> EarlyClause:
    """Read EARLY 25%, EARLY EVERY 10 SECONDS, EARLY AT 1 MINUTE, EARLY ACCURACY 98% [CONFIDENCE 90%] [RAW]."""
    start = reader.position - 1
    fields: dict[str, Any] = {}
    if reader.next.kind == "number":
        fields["aggressiveness"] = reader.share("EARLY")
    elif reader.takes_word("ON"):
        reader.word("PROD", "PRODS")
    while reader.next.is_word("EVERY", "AT", "ACCURACY", "CONFIDENCE", "RAW"):
        word = reader.next.text.lower()
        if word in fields:
            reader.fail(f"{word.upper()} is here twice")
        reader.take()
        match word:
            case "every":
                fields[word] = reader.duration()
            case "at":
                fields[word] = tuple(reader.listed(reader.duration))
            case "raw":
                fields[word] = True
            case _:
                fields[word] = reader.share(word.upper())
    if reader.position == start + 1:
        remedy = "such as EARLY 25%, EARLY EVERY 10 SECONDS, EARLY ACCURACY 98% or EARLY ON PRODS"
        reader.expected("when windows are shown", ("EVERY", "AT", "ACCURACY", "ON", "RAW"), remedy=remedy)
    return EarlyClause(**fields, place=reader.place_from(start))


def read_late(reader: Reader) -> LateClause:
    """Read LATE TO side, LATE DROP, LATE RAISE or LATE ADJUST."""
    start = reader.position - 1
    word = reader.word("TO", "DROP", "RAISE", "ADJUST")
    if word == "TO":
        return LateClause("side", reader.name("the name of a sink"), place=reader.place_from(start))
    policies: Mapping[str, Any] = {"DROP": "drop", "RAISE": "raise", "ADJUST": "adjust"}
    return LateClause(policies[word], place=reader.place_from(start))
