"""The command `replay`: streams through their join under contracts, and what each contract reached and cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slackwater.cli.replay_early import check_early_share, show_early
from slackwater.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from slackwater.experiments.event_stream import EventStream
    from slackwater.experiments.replay import Notice
    from slackwater.experiments.subject import Subject
    from slackwater.experiments.window_stream import WindowStream
    from slackwater.experiments.written import Written
    from slackwater.report.comparisons import Comparison
    from slackwater.report.page import Section

_EXAMPLE = 'slackwater replay syn3 --contract "recall 0.95 over 1 minute"'
_FILES = 'slackwater replay a.parquet b.parquet --event-time ts --on key --within "5 seconds" --contract "recall 0.95"'
_QUERY = 'slackwater replay a.parquet --event-time ts --query "mean(x) as x size 1 minute" --contract "error 3%"'
_FILE = 'slackwater replay a.parquet --event-time ts --contract "drop 1%"'


def replay(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="A data set (syn3, syn4, soccer, nezha, zeek, flights; for drop ratios and errors also poisson, "
            "poisson-changing, umts; for errors also freeway; for deadlines traffic, traffic-growing), or a file for "
            "each stream."
        ),
    ],
    contract: Annotated[
        list[str] | None,
        typer.Option(
            help='Such as "recall 0.95 over 1 minute", "recall 0.99 cap 30 seconds by model-search" (or by needed, '
            'model-search-eq, model-search-eq-uncalibrated, late-degree, pd), "drop 1% over 1 minute", '
            '"error 3% confidence 0.95", "deadline 6 seconds", "fixed 2 seconds", "max", "none"; '
            "may be repeated."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of a generated data set; 1 unless given.")] = None,
    duration: Annotated[str | None, typer.Option(help='How much of a data set, such as "2 minutes".')] = None,
    event_time: Annotated[str | None, typer.Option(help="Of files: the column that says when a row happened.")] = None,
    unit: Annotated[str | None, typer.Option(help="Of files: of integer event times, s, ms, us or ns.")] = None,
    arrival: Annotated[str | None, typer.Option(help="Of files: a column that orders rows by arrival.")] = None,
    on: Annotated[list[str] | None, typer.Option(help="Of files: columns that must be equal, or equations.")] = None,
    where: Annotated[str | None, typer.Option(help="Of files: what else must hold, in SQL.")] = None,
    within: Annotated[str | None, typer.Option(help='Of files: the window of the join, such as "5 seconds".')] = None,
    query: Annotated[
        str | None,
        typer.Option(
            help='For errors: "max(speed) as worst, count() as n by segment size 60 seconds slide 20 seconds".'
        ),
    ] = None,
    early: Annotated[
        float | None,
        typer.Option(help="For errors: also show windows early, by this share of the slide, and say how accurately."),
    ] = None,
    hindsight: Annotated[
        bool, typer.Option("--hindsight/--no-hindsight", help="Search the smallest constant slack that does as well.")
    ] = True,
    output: Annotated[Path, typer.Option(help="Folder for the page and the figures.")] = Path("replay-output"),
) -> None:
    """Replay streams through a join under contracts, and show what each reached and what it cost.

    Each is compared with never waiting (NoSlack), with waiting for the largest delay so far (MaxSlack), and with
    hindsight: the smallest constant slack that would have kept the contract as often.

    A drop ratio is about the events of one stream: that of the data set, or of one file, is put in order instead, and
    compared with the controllers AdaptiveMax and NormalDelay as well.

    A bound on errors is about the values of windows over one stream: those of --query, or a query that the data set
    has. It is compared with a drop ratio of the bound and the controller AlphaPD as well. With --early windows are also
    shown before their end, and early values compared with the final ones.

    Example:  slackwater replay syn3 --contract "recall 0.95 over 1 minute"

    Example:  slackwater replay nezha --contract "drop 1%" --contract "drop 0.1%"

    Example:  slackwater replay freeway --query "mean(speed) as speed size 1 minute" --contract "error 3%"

    A deadline is kept on the traffic application of SSG17, beside the policies that it is compared with there.

    Example:  slackwater replay traffic --contract "deadline 6 seconds"

    Example:  slackwater replay a.parquet b.csv --event-time ts --on key --within "5 seconds" --contract "recall 0.95"
    """
    from rich.console import Console

    of_files = {"event_time": event_time, "unit": unit, "arrival": arrival, "on": on, "where": where, "within": within}
    given = _Given(sources, {name: value for name, value in of_files.items() if value}, seed, duration, query, early)
    parts = _parts(given, contract or ())
    console = Console(highlight=False)
    comparisons = _compare(parts, output, hindsight=hindsight)
    _show(parts, comparisons, console)
    more = show_early(given.early, parts, output, console, _progress) if given.early is not None else []
    page = _write_page(parts, comparisons, output, more)
    console.print(f"Report: [bold]{page}[/bold] (opens in any browser, offline)", soft_wrap=True)


@dataclass(frozen=True)
class _Given:
    """What is to be replayed, as the command line says it."""

    sources: Sequence[str]
    of_files: dict[str, Any]
    seed: int | None
    duration: str | None
    query: str | None = None
    early: float | None = None

    @property
    def is_dataset(self) -> bool:
        return len(self.sources) == 1 and not Path(self.sources[0]).suffix

    @property
    def of_dataset(self) -> dict[str, Any]:
        return {"seed": 1 if self.seed is None else self.seed, "duration": self.duration}

    def check(self) -> None:
        """Refuse what belongs to the other kind of source."""
        if self.is_dataset:
            _check_known(self.sources[0])
            _refuse(self.of_files, f"the data set {self.sources[0]}, which has its own query")
        else:
            _refuse({"seed": self.seed, "duration": self.duration}, "files")


def _check_known(name: str) -> None:
    """Refuse what is no data set for any contract, and has no ending that would make it a file."""
    from slackwater.experiments.deadline import SETS
    from slackwater.experiments.event_stream import SETTINGS as STREAMS
    from slackwater.experiments.queries import QUERIES
    from slackwater.experiments.window_stream import SETTINGS as WINDOWS

    known = list(dict.fromkeys((*QUERIES, *STREAMS, *WINDOWS, *SETS)))
    if name not in known:
        remedy = f"{did_you_mean(name, known)}the data sets are {', '.join(known)}; files have an ending: {_FILE}"
        raise ParameterError("sources", name, must="be a data set or files", remedy=remedy)


@dataclass(frozen=True)
class _Part:
    """What contracts of one kind are replayed on: a join for results, one stream for events, windows for values."""

    name: str
    rows: str
    how: str
    config: Mapping[str, Any]
    run: Callable[[Notice, bool], Sequence[Written]]
    early: Callable[[float, Notice], list[dict[str, Any]]] | None = None  # of windows


def _parts(given: _Given, texts: Sequence[str]) -> list[_Part]:
    """Load what the contracts are about; those without a target go with each of the others."""
    from slackwater.contracts import RelativeError
    from slackwater.plan.contract_text import parse_contract

    if not texts:
        raise ParameterError("--contract", None, must="be given", remedy=f"such as {_EXAMPLE}")
    given.check()
    about = {text: parse_contract(text) for text in texts}
    events = [text for text in texts if about[text].counts_events]
    values = [text for text in texts if isinstance(about[text], RelativeError)]
    deadlines = [text for text in texts if about[text].deadline is not None]
    plain = [text for text in texts if about[text].quality is None]
    results = [text for text in texts if text not in (*events, *values, *plain)]
    if not values:
        _refuse({"query": given.query, "early": given.early}, "contracts that are not about errors")
    check_early_share(given.early)
    if deadlines:
        return [_deadline_part(given, texts)]
    parts = []
    if results or not (events or values):
        parts.append(_join_part(given, [*results, *plain]))
    if events:
        parts.append(_stream_part(given, [*events, *plain]))
    if values:
        parts.append(_window_part(given, [*values, *plain]))
    return parts


def _join_part(given: _Given, texts: Sequence[str]) -> _Part:
    from slackwater.experiments.comparison import compare
    from slackwater.experiments.replay import Replay
    from slackwater.plan.contract_text import parse_contract

    subject = _join(given)
    query = subject.query
    contracts = [parse_contract(text, over=query.period, every=query.adaptation_interval) for text in texts]
    return _Part(
        subject.name,
        f"{subject.rows:,} rows of {', '.join(query.streams)}",
        f"joined within {query.within}. {subject.description}",
        subject.config,
        lambda notice, hindsight: compare(Replay(subject, notice=notice), contracts, hindsight=hindsight),
    )


def _stream_part(given: _Given, texts: Sequence[str]) -> _Part:
    from slackwater.experiments.drops import compare_drops
    from slackwater.plan.contract_text import parse_contract

    stream = _one_stream(given)
    setting = stream.setting
    contracts = [parse_contract(text, over=setting.period, every=setting.every) for text in texts]
    return _Part(
        stream.name,
        f"{stream.rows:,} rows of {stream.shown}",
        f"put in order. {stream.description}",
        stream.config,
        lambda notice, hindsight: compare_drops(stream, contracts, hindsight=hindsight, notice=notice),
    )


def _window_part(given: _Given, texts: Sequence[str]) -> _Part:
    from slackwater.experiments.early_replay import compare_early
    from slackwater.experiments.errors import compare_errors
    from slackwater.plan.contract_text import parse_contract

    stream = _windows(given)
    contracts = [parse_contract(text, every=stream.every) for text in texts]
    return _Part(
        stream.name,
        f"{stream.rows:,} rows of {stream.stream.node.name}",
        f"aggregated: {stream.query}. {stream.description}",
        stream.config,
        lambda notice, hindsight: compare_errors(stream, contracts, hindsight=hindsight, notice=notice),
        lambda shown, notice: compare_early(stream, contracts, shown=shown, notice=notice),
    )


def _windows(given: _Given) -> WindowStream:
    from slackwater.experiments.window_stream import windows_of_dataset, windows_of_file

    if given.is_dataset:
        return windows_of_dataset(given.sources[0], query=given.query, **given.of_dataset)
    options: dict[str, Any] = {name: given.of_files.get(name) for name in ("event_time", "unit", "arrival")}
    _one_file(given, "an error", _QUERY)
    if given.query is None:
        raise ParameterError("--query", None, must="be given for files", remedy=f"such as {_QUERY}")
    return windows_of_file(given.sources[0], query=given.query, **options)


def _deadline_part(given: _Given, texts: Sequence[str]) -> _Part:
    from slackwater.deadline import Deadline
    from slackwater.experiments.deadline import SETS, compare_deadlines
    from slackwater.plan.contract_text import parse_contract
    from slackwater.sources.catalog import load

    contracts = [each for each in map(parse_contract, texts) if isinstance(each, Deadline)]
    remedy = 'such as slackwater replay traffic --contract "deadline 6 seconds"'
    if len(contracts) < len(texts):
        raise ParameterError("--contract", ", ".join(texts), must="be deadlines only, if one is", remedy=remedy)
    name = given.sources[0]
    if not given.is_dataset or name not in SETS:
        must = f"be {' or '.join(SETS)} for a deadline"
        raise ParameterError("sources", ", ".join(given.sources), must=must, remedy=remedy)
    dataset = load(name, **given.of_dataset)
    return _Part(
        name,
        f"{dataset.rows:,} rows of {', '.join(dataset.streams)}",
        f"joined by area within 5 seconds, in steps of processing time. {dataset.description}",
        {"set": name, **given.of_dataset},
        lambda notice, hindsight: compare_deadlines(dataset, contracts, notice=notice),
    )


def _join(given: _Given) -> Subject:
    from slackwater.experiments.subject import subject_of_dataset, subject_of_files

    if given.is_dataset:
        return subject_of_dataset(given.sources[0], **given.of_dataset)
    options = dict(given.of_files)
    if len(given.sources) < 2:
        raise ParameterError(
            "files", given.sources[0], must="be two or more, one for each stream", remedy=f"such as {_FILES}"
        )
    _require(options, ("event_time", "within"), _FILES)
    if "on" in options:
        options["on"] = on[0] if len(on := options["on"]) == 1 else tuple(on)
    return subject_of_files(given.sources, **options)


def _one_stream(given: _Given) -> EventStream:
    from slackwater.experiments.event_stream import stream_of_dataset, stream_of_file

    if given.is_dataset:
        return stream_of_dataset(given.sources[0], **given.of_dataset)
    _one_file(given, "a drop ratio", _FILE)
    return stream_of_file(given.sources[0], **given.of_files)


def _one_file(given: _Given, what: str, example: str) -> None:
    """Check that there is one file, and nothing that only a join needs."""
    if len(given.sources) > 1:
        raise ParameterError("files", ", ".join(given.sources), must=f"be one for {what}", remedy=f"such as {example}")
    _refuse({name: given.of_files.get(name) for name in ("on", "where", "within")}, f"{what}, which joins nothing")
    _require(given.of_files, ("event_time",), example)


def _require(given: dict[str, Any], names: Sequence[str], example: str) -> None:
    for name in names:
        if name not in given:
            raise ParameterError(_option(name), None, must="be given for files", remedy=f"such as {example}")


def _compare(parts: Sequence[_Part], output: Path, *, hindsight: bool) -> list[Comparison]:
    """Run everything, write the figures, and read them back as a report does."""
    from slackwater import __version__
    from slackwater.experiments.written import write
    from slackwater.report.replay import read_replay

    output.mkdir(parents=True, exist_ok=True)  # before the work: a folder that cannot be is better known now
    runs: list[Written] = []
    for part in parts:
        with _progress(part) as notice:
            runs += part.run(notice, hindsight)
    figures, series = output / "replay.jsonl", output / "replay.parquet"
    write(runs, {**parts[0].config, "version": __version__}, figures=figures, series=series)
    return read_replay(figures, series)


@contextmanager
def _progress(part: _Part) -> Iterator[Notice]:
    """Show a bar on stderr, where there is a terminal; it disappears in the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(f"{part.name}: {part.rows}", total=1)

        def notice(what: str, done: int, planned: int) -> None:
            progress.update(task, description=f"{part.name}: {what}", completed=done, total=planned)

        yield notice


def _show(parts: Sequence[_Part], comparisons: Sequence[Comparison], console: Console) -> None:
    for part in parts:
        console.print(f"{part.name}: {part.rows}", soft_wrap=True)
    for each in comparisons:
        console.print(_table(each))
        console.print(each.caption, style="dim", markup=False)


def _table(comparison: Comparison) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=comparison.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    table.add_column(comparison.heads[0])
    for head in comparison.heads[1:]:  # in two short lines: so 80 columns have room for the policy
        table.add_column(head.replace(" ", "\n"), justify="right", no_wrap=True)
    for row in comparison.rows():
        table.add_row(*map(Text, row))
    return table


def _write_page(
    parts: Sequence[_Part], comparisons: Sequence[Comparison], output: Path, more: Sequence[Section]
) -> Path:
    from slackwater import __version__
    from slackwater.report.replay import write_replay_page

    return write_replay_page(
        (output / "replay.html").resolve(),
        title=f"slackwater replay: {parts[0].name}",
        intro=" ".join(f"{part.rows}, {part.how}" for part in parts),
        comparisons=comparisons,
        more=more,
        footer=f"Made by slackwater {__version__}; replay.jsonl and replay.parquet beside this page have the figures.",
    )


def _refuse(given: dict[str, Any], of_what: str) -> None:
    for name, value in given.items():
        if value is not None:
            raise ParameterError(_option(name), value, must=f"be left out for {of_what}", remedy=f"such as {_EXAMPLE}")


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
