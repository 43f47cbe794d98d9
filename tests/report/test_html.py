from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest

from slackwater.report.html import write_page
from slackwater.report.tables import read_run
from tests.report.builders import write_run

HOSTILE = "</script><script>document.title='taken over'</script><img src=x onerror=\"document.title='taken over'\">"
MOST_BYTES = 8_000_000


class Elements(HTMLParser):
    """Collects every element with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A report whose every text from outside tries to break out."""
    folder = tmp_path_factory.mktemp("report")
    run = read_run(HOSTILE, write_run(folder / "run", slack=[1_000, 2_000, 3_000], late_by=[5, None]))
    delays = {HOSTILE: np.array([0, 10, 2_000])}
    return write_page(folder / "page.html", title=HOSTILE, intro=HOSTILE, footer=HOSTILE, runs=[run], delays=delays)


@pytest.fixture(scope="module")
def elements(page):
    return Elements(page.read_text(encoding="utf-8"))


def test_hostile_text_adds_no_element(elements):
    assert 3 == len(elements.named("script"))
    assert [] == elements.named("img")


def test_nothing_is_loaded_from_anywhere(elements):
    loading = [
        (tag, name) for tag, attrs in elements.found for name in attrs if name in ("src", "href", "srcset", "data")
    ]
    assert [] == loading
    assert not {"link", "iframe", "object", "embed"} & {tag for tag, _ in elements.found}


def test_browser_is_told_to_load_nothing(elements):
    policies = [meta["content"] for meta in elements.named("meta") if "http-equiv" in meta]
    assert 1 == len(policies)
    assert policies[0].startswith("default-src 'none';")


def test_page_holds_plotly_once_and_stays_small(page):
    assert 4_000_000 < page.stat().st_size < MOST_BYTES


def test_figures_are_readable_json_with_the_policy_in_them(page):
    text = page.read_text(encoding="utf-8")
    figures = json.loads(re.search(r'id="figures">(.*?)</script>', text, re.DOTALL)[1])
    assert 4 == len(figures)
    assert "taken over" in figures[0]["data"][0]["name"]


def test_page_fits_phones_and_dark_rooms(page, elements):
    assert any(meta.get("name") == "viewport" for meta in elements.named("meta"))
    assert "prefers-color-scheme: dark" in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_real_browser_draws_every_figure_and_runs_nothing_hostile(page, tmp_path):
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("needs a browser: apt-get install chromium")
    quiet = ("--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync")
    options = ("--headless", "--no-sandbox", "--disable-gpu", *quiet, "--virtual-time-budget=20000", "--dump-dom")
    command = [browser, *options, f"--user-data-dir={tmp_path}", page.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    drawn = [attrs for attrs in Elements(shown).named("div") if "js-plotly-plot" in (attrs.get("class") or "")]
    assert 4 == len(drawn)
    assert "<title>taken over" not in shown
