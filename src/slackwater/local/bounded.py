"""What the outputs of plans over bounded tables share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from slackwater.displayed import Displayed, pairs, table, text_block
from slackwater.errors import ParameterError

_SHOWN = ("at", "slack", "target", "estimated", "measured", "arrived", "buffered", "released", "late", "results")
_LAST = 5  # decisions


class BoundedOutput(Displayed):
    """It runs when the first output is asked for; showing it in a notebook does not run it."""

    def start(self, **_: Any) -> NoReturn:
        """Say that there is nothing to start."""
        raise ParameterError(
            "frame", "a bounded table", must="be a streaming DataFrame to be started", remedy="read .results and .late"
        )

    def _shown(self) -> Iterator[str]:
        outputs: Any = self
        yield text_block(outputs.explain())
        if not any(name in vars(self) for name in ("results", "late", "decisions", "_run", "_second")):
            return
        reasons = outputs.late.group_by("reason").aggregate([([], "count_all")]).to_pylist()
        late = {f"late, reason {each['reason']}": f"{each['count_all']:,}" for each in reasons}
        yield pairs({"results": f"{outputs.results.num_rows:,}", **late})
        decisions = outputs.decisions.select(list(_SHOWN))
        last = decisions.slice(max(decisions.num_rows - _LAST, 0))
        yield table(_SHOWN, zip(*(column.to_pylist() for column in last.columns), strict=True))
