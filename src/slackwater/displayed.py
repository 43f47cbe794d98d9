"""What notebooks show: small pieces of HTML without a script, in which everything from outside is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence


class Displayed:
    """Shown in notebooks by its repr, with what it has to say below.

    >>> class Answer(Displayed):
    ...     def __repr__(self):
    ...         return "<Answer>"
    ...     def _shown(self):
    ...         return [text_block("a < b")]
    >>> Answer()._repr_html_()
    '<div class="slackwater"><b>&lt;Answer&gt;</b><pre>a &lt; b</pre></div>'
    """

    def _repr_html_(self) -> str:
        return f'<div class="slackwater"><b>{html.escape(repr(self))}</b>{"".join(self._shown())}</div>'

    def _shown(self) -> Iterable[str]:
        """Return pieces of HTML: everything in them is escaped."""
        return ()


def text_block(text: str) -> str:
    """Return text as it is in a terminal."""
    return f"<pre>{html.escape(text)}</pre>"


def pairs(values: Mapping[str, object]) -> str:
    """Return names and values, one below the other.

    >>> pairs({"cap": "5 s", "<b>": None})
    '<table><tr><th>cap</th><td>5 s</td></tr><tr><th>&lt;b&gt;</th><td></td></tr></table>'
    """
    lines = (f"<tr><th>{_cell(name)}</th><td>{_cell(value)}</td></tr>" for name, value in values.items())
    return f"<table>{''.join(lines)}</table>"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; nothing where there are no rows."""
    lines = ["<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>" for row in rows]
    head = "".join(f"<th>{_cell(name)}</th>" for name in heads)
    return f"<table><tr>{head}</tr>{''.join(lines)}</table>" if lines else ""


def _cell(value: object) -> str:
    if value is None:
        return ""
    return html.escape(f"{value:.6g}" if isinstance(value, float) else str(value))
