"""Every block of every page of documentation runs, and prints what the page says."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages import Reader, blocks_of, check

ROOT = Path(__file__).parent.parent
# Documents in capitals have tests of their own (tests/sql/test_page.py), or show commands that take long.
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if not page.stem.isupper()]
OF_CODE = [page for page in PAGES if any(block.language in ("python", "sh") for block in blocks_of(page))]
ON_SPARK = [page for page in OF_CODE if any(block.needs_spark for block in blocks_of(page))]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT / "docs"))


@pytest.fixture
def reader(tmp_path, monkeypatch) -> Iterator[Reader]:
    """Someone in the folder of the repository, or what looks like it."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # files of a page import each other
    yield Reader(tmp_path)
    for path in tmp_path.glob("*.py"):
        sys.modules.pop(path.stem, None)


@pytest.mark.parametrize("page", OF_CODE, ids=name_of)
def test_a_page_prints_what_it_says(page, reader):
    for block in blocks_of(page):
        if block.runs and not block.needs_spark:
            reader.follow(block, page)


@pytest.mark.spark
@pytest.mark.parametrize("page", ON_SPARK, ids=name_of)
def test_a_page_prints_what_it_says_on_spark(page, reader, spark):
    for block in blocks_of(page):
        if block.runs:
            reader.follow(block, page)


def test_every_link_of_the_readme_leads_to_a_file():
    links = re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert [] == [link for link in links if not (ROOT / link).exists()]


def test_a_block_that_prints_something_else_is_found():
    with pytest.raises(AssertionError, match="but prints"):
        check("1\n", "2\n", "print(2)")


def test_a_block_may_leave_out_lines_of_what_it_prints():
    check("first\n...\nlast\n", "first\nsecond\nlast\n", "")
