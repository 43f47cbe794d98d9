"""What can be asked of a running query from the page: records in its control folder, as anybody could send them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from slackwater.board.found import FoundQuery
from slackwater.errors import ParameterError


def ask(query: FoundQuery, what: str, details: Mapping[str, Any]) -> str:
    """Send a record to a query; return in words what follows.

    Raises:
        ParameterError: it cannot be asked for, or not so.
        SlackwaterError: the query has ended.
    """
    if what not in _ASKED:
        raise ParameterError("what", what, must=f"be one of {', '.join(_ASKED)}", remedy="use the buttons of the page")
    if query.control is None:
        raise ParameterError(
            "control", None, must="be a folder that the query listens to", remedy="start it with control=, a folder"
        )
    query.check_runs()
    return _ASKED[what](query, details)


def _prod(query: FoundQuery, details: Mapping[str, Any]) -> str:
    from slackwater.spark.control_stream import send

    if not query.early:
        raise ParameterError(
            "prod", query.operator, must="be of a plan with early results", remedy="start it with early=sw.Early()"
        )
    assert query.control is not None
    send(query.control, "prod")
    return "asked for early results: they follow with the next micro-batch"


def _contract(query: FoundQuery, details: Mapping[str, Any]) -> str:
    from slackwater.spark.control_stream import send

    text = details.get("contract")
    if not isinstance(text, str) or not text.strip():
        raise ParameterError("contract", text, must="be a text", remedy='such as "drop 1% over 1 minute"')
    assert query.control is not None
    send(query.control, "contract", contract=text.strip())
    return f"asked for {text.strip()}: it rules from the next micro-batch on, unless the query refuses it"


def _drain(query: FoundQuery, details: Mapping[str, Any]) -> str:
    from slackwater.spark.control_stream import send

    assert query.control is not None
    send(query.control, "drain", stop=True)
    return "asked to drain: all that is held leaves with the next micro-batch, then the query stops"


_ASKED: Mapping[str, Callable[[FoundQuery, Mapping[str, Any]], str]] = {
    "prod": _prod,
    "contract": _contract,
    "drain": _drain,
}
