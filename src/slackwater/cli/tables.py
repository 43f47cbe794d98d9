"""Tables of figures in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def figures_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], *, names: int = 1) -> Table:
    """Return a table whose first columns, as many as `names`, are text, and the others figures.

    Heads are in two short lines, which leaves room for the first column in a terminal of 80 columns.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for number, head in enumerate(heads):
        two_lines = head.replace(" ", "\n", 1) if number else head
        table.add_column(two_lines, justify="left" if number < names else "right", no_wrap=number > 0)
    for row in rows:
        table.add_row(*map(Text, row))
    return table
