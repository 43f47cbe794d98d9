"""What experiments found, as Markdown: every claim with our number and the verdict, our own questions as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from slackwater.report.matrix import ABOUT, TITLE, matrix_of
from slackwater.report.reproduction import INTRO, VERDICTS, Found, place_of, scale_of, who_says


def write_markdown(path: Path, found: Sequence[Found]) -> Path:
    """Write a section for each experiment."""
    scales = Counter(each.summary["scale"] for each in found)
    total = sum((each.verdicts for each in found), Counter[str]())
    lines = [
        "# Reproduction",
        "",
        INTRO,
        "",
        f"Made by `slackwater experiment all --scale {scales.most_common(1)[0][0]}`{_more(found, scales)} and "
        f"`slackwater report`, which also makes a page with the figures{_example(path)}. Verdicts: "
        + ", ".join(f"{verdict} {total[verdict]}" for verdict in VERDICTS)
        + ".",
        "",
        f"Run at the paper scale: {scales['paper']} of {len(found)} experiments. In the others streams are minutes "
        f"long{_few_seeds(found)}.",
    ]
    for each in found:
        lines += ["", *_section(each)]
    lines += _matrix(found)
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def _more(found: Sequence[Found], scales: Counter[str]) -> str:
    """Return which other scales some were run at; five seeds are the paper scale's own."""
    texts = []
    for scale, _ in scales.most_common()[1:]:
        seeds = {len(each.summary["seeds"]) for each in found if each.summary["scale"] == scale}
        asked = f" --seeds {min(seeds)}" if scale != "paper" and min(seeds) > 2 else ""
        texts.append(f", for some `--scale {scale}{asked}`,")
    return "".join(texts)


def _few_seeds(found: Sequence[Found]) -> str:
    """Return how many seeds there are at least, where some have less than five."""
    fewest = min((len(each.summary["seeds"]) for each in found), default=5)
    return "" if fewest >= 5 else f", and there are {fewest} to 5 seeds"


def _matrix(found: Sequence[Found]) -> list[str]:
    matrix = matrix_of(found)
    return [] if matrix is None else ["", f"## {TITLE}", "", ABOUT, "", *_table(*matrix)]


def _example(path: Path) -> str:
    """Return a link to the page that is kept beside the table, if there is one."""
    page = "reproduction/report.html"
    return f" ([an example]({page}))" if (path.parent / page).is_file() else ""


def _section(each: Found) -> Iterator[str]:
    summary = each.summary
    yield f"## {summary['name']}: {summary['title']}"
    yield ""
    yield f"{place_of(summary)}; {scale_of(summary)}. {summary['about']}"
    if summary["claims"]:
        yield ""
        yield from _table((who_says(summary), "where", "ours", "verdict"), _claims(each))
    if summary["document"] == "ours" and summary["table"] and not summary.get("in_matrix"):
        yield ""
        yield from _table(*each.table)


def _claims(each: Found) -> Iterator[Sequence[str]]:
    for claim in each.summary["claims"]:
        verdict = claim["verdict"] + (f": {claim['reason']}" if claim["reason"] else "")
        yield claim["says"], claim["where"], claim["ours"], verdict


def _table(heads: Sequence[str], rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> Iterator[str]:
    r"""Yield the lines of a table; what would end a cell is made harmless.

    >>> list(_table(["a"], [["x|y"]]))
    ['| a |', '|---|', '| x\\|y |']
    """
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        cells = (text.replace("|", "\\|").replace("\n", " ") for text in row)
        yield f"| {' | '.join(cells)} |"
