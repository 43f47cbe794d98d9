"""From the clauses of a query to a contract and to early results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slackwater.contracts import Contract, Punctuated
from slackwater.early import Early
from slackwater.plan.contract_text import parse_contract
from slackwater.sql.printer import number_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slackwater.sql.places import Places
    from slackwater.sql.tree import EarlyClause, Promise, Query, StreamRef

_WORDS = ("over", "every", "cap", "latency", "by")


def contract_of(query: Query, places: Places) -> Contract | None:
    """Return the contract that a query states, or None: a DRATIO in a window comes first, then what follows WITH.

    Raises:
        SqlError: there are more than two, or two that do not go together.
    """
    found = [*_drop_ratios(query.streams, places), *(_contract(each, places) for each in query.promises)]
    if len(found) > 2:
        places.fail(
            query.promises[-1].place, "a query has at most two contracts", "such as RECALL 0.99 AND DEADLINE 5 SECONDS"
        )
    if len(found) == 2:
        with places.at(query.promises[-1].place):
            return found[0] & found[1]
    return found[0] if found else None


def early_of(clause: EarlyClause | None, places: Places) -> Early | None:
    """Return when windows are shown early."""
    if clause is None:
        return None
    more: dict[str, Any] = {} if clause.confidence is None else {"confidence": float(clause.confidence)}
    with places.at(clause.place):
        return Early(
            aggressiveness=_float(clause.aggressiveness),
            every=clause.every,
            at=clause.at,
            estimate="raw" if clause.raw else "corrected",
            accuracy=_float(clause.accuracy),
            **more,
        )


def _float(share: Any) -> float | None:
    return None if share is None else float(share)


def _drop_ratios(streams: Sequence[StreamRef], places: Places) -> list[Contract]:
    """Return the drop ratio that windows state; it is one for all streams."""
    stated = [ref for ref in streams if ref.drop_ratio is not None]
    if len({ref.drop_ratio for ref in stated}) > 1:
        places.fail(stated[1].place, "streams state different drop ratios", "it is counted over all of them: state one")
    if not stated or stated[0].drop_ratio is None:
        return []
    with places.at(stated[0].place):
        return [parse_contract(f"drop {number_text(stated[0].drop_ratio)}")]


def _contract(promise: Promise, places: Places) -> Contract:
    """Return a contract through its text, which has all the checks."""
    with places.at(promise.place):
        if promise.kind == "punctuations":
            return Punctuated(cap=promise.cap)
        value = promise.span if promise.share is None else number_text(promise.share)
        words = [promise.kind, *([] if value is None else [str(value)])]
        words += [f"{word} {getattr(promise, word)}" for word in _WORDS if getattr(promise, word) is not None]
        if promise.confidence is not None:
            words.append(f"confidence {number_text(promise.confidence)}")
        if promise.of:
            words.append(f"of {', '.join(promise.of)}")
        return parse_contract(" ".join(words))
