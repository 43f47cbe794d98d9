"""What the command `replay` runs: for each kind of contract, what it is about and how it is compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slackwater.cli.replay_early import check_early_share
from slackwater.cli.replay_given import EXAMPLE, FILE, FILES, QUERY, Given, check_one_file, refuse, require
from slackwater.errors import ParameterError

if TYPE_CHECKING:
    from slackwater.experiments.event_stream import EventStream
    from slackwater.experiments.replay import Notice
    from slackwater.experiments.subject import Subject
    from slackwater.experiments.window_stream import WindowStream
    from slackwater.experiments.written import Written


@dataclass(frozen=True)
class Part:
    """What contracts of one kind are replayed on: a join for results, one stream for events, windows for values."""

    name: str
    rows: str
    how: str
    config: Mapping[str, Any]
    run: Callable[[Notice, bool], Sequence[Written]]
    early: Callable[[float, Notice], list[dict[str, Any]]] | None = None  # of windows


def parts_of(given: Given, texts: Sequence[str]) -> list[Part]:
    """Load what the contracts are about; those without a target go with each of the others."""
    from slackwater.contracts import RelativeError
    from slackwater.plan.contract_text import parse_contract

    if not texts:
        raise ParameterError("--contract", None, must="be given", remedy=f"such as {EXAMPLE}")
    given.check()
    about = {text: parse_contract(text) for text in texts}
    events = [text for text in texts if about[text].counts_events]
    values = [text for text in texts if isinstance(about[text], RelativeError)]
    deadlines = [text for text in texts if about[text].deadline is not None]
    plain = [text for text in texts if about[text].quality is None]
    results = [text for text in texts if text not in (*events, *values, *plain)]
    if not values:
        refuse({"query": given.query, "early": given.early}, "contracts that are not about errors")
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


def _join_part(given: Given, texts: Sequence[str]) -> Part:
    from slackwater.experiments.comparison import compare
    from slackwater.experiments.replay import Replay
    from slackwater.plan.contract_text import parse_contract

    subject = _join(given)
    query = subject.query
    contracts = [parse_contract(text, over=query.period, every=query.adaptation_interval) for text in texts]
    return Part(
        subject.name,
        f"{subject.rows:,} rows of {', '.join(query.streams)}",
        f"joined within {query.within}. {subject.description}",
        subject.config,
        lambda notice, hindsight: compare(Replay(subject, notice=notice), contracts, hindsight=hindsight),
    )


def _stream_part(given: Given, texts: Sequence[str]) -> Part:
    from slackwater.experiments.drops import compare_drops
    from slackwater.plan.contract_text import parse_contract

    stream = _one_stream(given)
    setting = stream.setting
    contracts = [parse_contract(text, over=setting.period, every=setting.every) for text in texts]
    return Part(
        stream.name,
        f"{stream.rows:,} rows of {stream.shown}",
        f"put in order. {stream.description}",
        stream.config,
        lambda notice, hindsight: compare_drops(stream, contracts, hindsight=hindsight, notice=notice),
    )


def _window_part(given: Given, texts: Sequence[str]) -> Part:
    from slackwater.experiments.early_replay import compare_early
    from slackwater.experiments.errors import compare_errors
    from slackwater.plan.contract_text import parse_contract

    stream = _windows(given)
    contracts = [parse_contract(text, every=stream.every) for text in texts]
    return Part(
        stream.name,
        f"{stream.rows:,} rows of {stream.stream.node.name}",
        f"aggregated: {stream.query}. {stream.description}",
        stream.config,
        lambda notice, hindsight: compare_errors(stream, contracts, hindsight=hindsight, notice=notice),
        lambda shown, notice: compare_early(stream, contracts, shown=shown, notice=notice),
    )


def _windows(given: Given) -> WindowStream:
    from slackwater.experiments.window_stream import windows_of_dataset, windows_of_file

    if given.is_dataset:
        return windows_of_dataset(given.sources[0], query=given.query, **given.of_dataset)
    options: dict[str, Any] = {name: given.of_files.get(name) for name in ("event_time", "unit", "arrival")}
    check_one_file(given, "an error", QUERY)
    if given.query is None:
        raise ParameterError("--query", None, must="be given for files", remedy=f"such as {QUERY}")
    return windows_of_file(given.sources[0], query=given.query, **options)


def _deadline_part(given: Given, texts: Sequence[str]) -> Part:
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
    return Part(
        name,
        f"{dataset.rows:,} rows of {', '.join(dataset.streams)}",
        f"joined by area within 5 seconds, in steps of processing time. {dataset.description}",
        {"set": name, **given.of_dataset},
        lambda notice, hindsight: compare_deadlines(dataset, contracts, notice=notice),
    )


def _join(given: Given) -> Subject:
    from slackwater.experiments.subject import subject_of_dataset, subject_of_files

    if given.is_dataset:
        return subject_of_dataset(given.sources[0], **given.of_dataset)
    options = dict(given.of_files)
    if len(given.sources) < 2:
        raise ParameterError(
            "files", given.sources[0], must="be two or more, one for each stream", remedy=f"such as {FILES}"
        )
    require(options, ("event_time", "within"), FILES)
    if "on" in options:
        options["on"] = on[0] if len(on := options["on"]) == 1 else tuple(on)
    return subject_of_files(given.sources, **options)


def _one_stream(given: Given) -> EventStream:
    from slackwater.experiments.event_stream import stream_of_dataset, stream_of_file

    if given.is_dataset:
        return stream_of_dataset(given.sources[0], **given.of_dataset)
    check_one_file(given, "a drop ratio", FILE)
    return stream_of_file(given.sources[0], **given.of_files)
