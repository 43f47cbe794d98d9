"""What is kept of the last runs: docs/REPRODUCTION.md, and the page beside it."""

from __future__ import annotations

from pathlib import Path

from slackwater.experiments.frame.catalog import names

DOCS = Path(__file__).parents[2] / "docs"
TABLE = (DOCS / "REPRODUCTION.md").read_text(encoding="utf-8")
PAGE = DOCS / "reproduction" / "report.html"


def test_the_document_has_every_experiment():
    assert [] == [name for name in names() if f"\n## {name}: " not in TABLE]


def test_every_difference_in_the_document_has_a_reason():
    verdicts = [line.rsplit(" | ", 1)[1] for line in TABLE.splitlines() if " | differs" in line]
    assert verdicts
    assert [] == [verdict for verdict in verdicts if not verdict.removeprefix("differs:").strip(" |")]


def test_the_page_has_every_experiment_and_stays_small():
    page = PAGE.read_text(encoding="utf-8")
    assert [] == [name for name in names() if f'<section id="{name}">' not in page]
    assert "<script" not in page
    assert PAGE.stat().st_size < 1_000_000
