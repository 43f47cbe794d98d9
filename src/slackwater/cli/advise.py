"""The command `advise`: what to write for a wish, from files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slackwater.errors import ParameterError

if TYPE_CHECKING:
    from slackwater.advice.result import Advice
    from slackwater.contracts import Contract
    from slackwater.experiments.advise import Notice

_STDOUT = "-"
_DECISIONS = 60  # in a period: a week needs none every second
_EXAMPLE = "slackwater advise events.parquet --event-time ts --drop-ratio 0.5%"


def advise(
    files: Annotated[
        list[Path],
        typer.Argument(help="Parquet, CSV or JSON-lines files: parts of one stream, or with --within one each."),
    ],
    event_time: Annotated[str, typer.Option(help="The column that says when a row happened.")],
    drop_ratio: Annotated[
        str | None, typer.Option(metavar="SHARE", help="Wish: at most this share of the rows late, such as 0.5%.")
    ] = None,
    recall: Annotated[
        str | None, typer.Option(metavar="SHARE", help="Wish: this share of the join's results, such as 0.99.")
    ] = None,
    latency: Annotated[
        str | None, typer.Option(metavar="DURATION", help='Wish: no row waits longer, such as "10 seconds".')
    ] = None,
    over: Annotated[str, typer.Option(help="The period in which a share is to be kept, each time.")] = "1 minute",
    on: Annotated[list[str] | None, typer.Option(help="Of a join: columns that must be equal, or equations.")] = None,
    where: Annotated[str | None, typer.Option(help="Of a join: what else must hold, in SQL.")] = None,
    within: Annotated[str | None, typer.Option(help='The window of a join, such as "5 seconds".')] = None,
    unit: Annotated[str | None, typer.Option(help="Of integer event times: s, ms, us or ns; else guessed.")] = None,
    arrival: Annotated[
        str | None, typer.Option(help="A column that orders rows by arrival; else rows came as they are in the files.")
    ] = None,
    by: Annotated[str | None, typer.Option(help="A column of keys: which of them would lose most?")] = None,
    stream: Annotated[str | None, typer.Option(help="A column that tells streams apart, likewise.")] = None,
    max_ahead: Annotated[
        str, typer.Option(help="Rows with a time further than this past their arrival are left out.")
    ] = "1 day",
    parse: Annotated[bool, typer.Option("--parse", help="Read event times from ISO 8601 text.")] = False,
    spark: Annotated[bool, typer.Option("--spark", help="Show the code for a Spark query, not in process.")] = False,
    json: Annotated[str | None, typer.Option(metavar="FILE", help="Write all figures as JSON; - for stdout.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page with plots.")] = None,
) -> None:
    """Say what to write for a wish: the contract, what it gives and costs, and what Spark's watermark would need.

    The contract runs over the rows; every constant slack is counted beside it, with how sure the figures are.

    Example:  slackwater advise events.parquet --event-time ts --drop-ratio 0.5% --html advice.html

    Example:  slackwater advise a.parquet b.parquet --event-time ts --recall 0.99 --on key --within "10 seconds"

    Example:  slackwater advise events.parquet --event-time ts --latency "10 seconds"
    """
    from slackwater.experiments.advise import advise as find

    wish = _wish(drop_ratio, recall, latency, over, joins=within is not None)
    columns: dict[str, Any] = {"event_time": event_time, "unit": unit, "arrival": arrival, "by": by, "stream": stream}
    join: dict[str, Any] = {"within": within, "on": None if not on else on[0] if len(on) == 1 else on, "where": where}
    with _progress() as notice:
        found = find(
            *map(str, files), contract=wish, **columns, **join, over=over, max_ahead=max_ahead, parse=parse,
            notice=notice,
        )  # fmt: skip
    typer.echo(found.to_json() if json == _STDOUT else found.table(on_spark=spark))
    if json not in (None, _STDOUT):
        found.to_json(Path(json))
        typer.echo(f"\nFigures: {json}", err=True)
    if html is not None:
        _write_page(found, html)


def _wish(drop_ratio: str | None, recall: str | None, latency: str | None, over: str, *, joins: bool) -> Contract:
    """Return the wish as a contract."""
    from slackwater.contracts import MaxSlack
    from slackwater.plan.contract_text import parse_contract
    from slackwater.time import Duration

    if drop_ratio is not None and recall is not None:
        remedy = "--drop-ratio is about rows, --recall about results of a join"
        raise ParameterError("--recall", recall, must="not come with --drop-ratio", remedy=remedy)
    if recall is not None and not joins:
        remedy = 'such as --on key --within "10 seconds", and one file for each stream'
        raise ParameterError("--recall", recall, must="come with the window of a join", remedy=remedy)
    period = Duration.of(over, parameter="--over")
    every = max(Duration.of("1 second"), Duration(period.microseconds // _DECISIONS // 1_000_000 * 1_000_000))
    cap = "" if latency is None else f" cap {Duration.of(latency, parameter='--latency')}"
    if drop_ratio is not None:
        return parse_contract(f"drop {drop_ratio} over {period}{cap}", every=every)
    if recall is not None:
        return parse_contract(f"recall {recall} over {period}{cap}", every=every)
    if latency is None:
        remedy = f"--drop-ratio, --recall or --latency, such as {_EXAMPLE}"
        raise ParameterError("wish", None, must="be given", remedy=remedy)
    return MaxSlack(cap=Duration.of(latency, parameter="--latency"), adaptation_interval=every)


@contextmanager
def _progress() -> Iterator[Notice]:
    """Show a bar on stderr, where there is a terminal; it disappears in the end."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(20), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("reading", total=None)

        def notice(what: str, done: int, planned: int | None) -> None:
            progress.update(task, description=what, completed=done, total=planned)

        yield notice


def _write_page(found: Advice, target: Path) -> None:
    from slackwater import __version__
    from slackwater.report.advise import write_advice_page

    page = write_advice_page(target.resolve(), found, footer=f"Made by slackwater {__version__}.")
    typer.echo(f"\nReport: {page} (opens in any browser, offline)", err=True)
