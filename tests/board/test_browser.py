"""The page in a real browser: every control is used, what is hostile stays text, and it fits a phone."""

from __future__ import annotations

import os
import shutil

import pytest

from slackwater.board.dashboard import Dashboard
from tests.board.builders import HOSTILE, SECOND, Left

sync_api = pytest.importorskip("playwright.sync_api", reason="the browser tests need: pip install playwright")
BROWSER = os.environ.get("SLACKWATER_BROWSER") or next(filter(None, map(shutil.which, ("chromium", "chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="the browser tests need Chromium: apt install chromium")
WAIT = 20_000  # ms


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def left(tmp_path) -> Left:
    left = Left(tmp_path)
    left.decisions(0, [SECOND, 2 * SECOND, 3 * SECOND], measured=[0.002, 0.01, 0.004])
    left.decisions(1, [0, 0], operator="early", stream="n", measured=[0.9, 0.95], target=None)
    left.late(0, [HOSTILE, "5"])
    for batch in range(4):
        left.figures(batch, written=batch * SECOND, delays={"0": 90, "20": 9, "30": 1 + batch}, late=1)
    return left


@pytest.fixture
def page(browser, left):
    """Open the page; whatever it complains about fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened, complaints = context.new_page(), []
    opened.on("console", lambda message: complaints.append(message.text) if is_complaint(message) else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("dialog", lambda dialog: (complaints.append("a dialog"), dialog.dismiss()))
    with Dashboard(left.checkpoint) as board:
        opened.goto(board.url)
        opened.wait_for_selector("#slack svg", timeout=WAIT)
        yield opened
        context.close()
    assert [] == complaints


def is_complaint(message) -> bool:
    """Whether a message is of the page; an answer that refuses something is noted by the browser."""
    return message.type == "error" and not message.text.startswith("Failed to load resource")


def answer_of(page, words: str) -> None:
    page.wait_for_function("w => document.getElementById('answer').textContent.includes(w)", arg=words, timeout=WAIT)


def test_every_figure_is_drawn(page):
    figures = ("slack", "quality", "latency", "delays", "early", "state")
    assert [1] * 6 == [page.locator(f"#{name} svg").count() for name in figures]


def test_the_delays_of_now_and_of_an_hour_ago_are_two_curves_in_one_figure(page, left):
    left.figures(4, written=3_602 * SECOND, delays={"0": 50, "30": 49, "40": 1})
    page.wait_for_selector("#delays .legend :text('an hour ago')", timeout=WAIT)
    curves = [curve.get_attribute("points").split(" ") for curve in page.locator("#delays polyline").all()]
    assert ["now", "an hour ago"] == page.locator("#delays .legend span").all_inner_texts()
    assert [True, True] == [len(curve) > 5 for curve in curves]
    words = page.inner_text("#delays-caption")
    assert "Now 50 % came in order, 99 % at most 2.32 s behind." in words
    assert "An hour ago 88.7 % came in order" in words


def test_every_control_sends_what_it_says(page, left):
    page.fill("#contract", "drop 5% over 1 minute")
    page.click("#change")
    answer_of(page, "drop 5% over 1 minute: it rules from the next micro-batch on")
    page.click("#prod")
    answer_of(page, "asked for early results")
    page.click("#drain")
    assert "Drain and stop?" == page.inner_text("#drain")  # once is not enough
    assert 2 == len(left.sent())
    page.click("#drain")
    answer_of(page, "asked to drain")
    assert {"contract": "drop 5% over 1 minute", "prod": None, "drain": None} == {
        each["kind"]: each.get("contract") for each in left.sent()
    }


def test_a_mistake_is_answered_with_its_remedy(page, left):
    with page.expect_response("**/contract*"):
        page.fill("#contract", "drop everything")
        page.click("#change")
    answer_of(page, "contract must have a number after drop")
    assert [] == left.sent()


def test_what_is_hostile_in_the_data_is_text(page):
    assert "<img src=x onerror=alert(1)>" in page.inner_text("#samples")
    assert 0 == page.locator("#samples img").count()


def test_what_the_query_answered_is_listed(page, left):
    left.said(5, "contract: drop 0.01 over 1 minute -> drop 0.05 over 1 minute")
    page.wait_for_selector("#said li", timeout=WAIT)
    assert "\u2192 drop 0.05" in page.inner_text("#said")  # one letter, that no line end breaks in two


def test_a_query_that_was_drained_is_shown_to_have_ended(page, left):
    left.ended(written=5 * SECOND)
    page.wait_for_selector("#status.ended", timeout=WAIT)
    assert "drained and ended" in page.inner_text("#status")
    page.click("#prod")
    answer_of(page, "the query has ended: start it again")
    assert [] == left.sent()


def test_axes_say_which_time_they_have(page):
    axes = {name: page.inner_html(f"#{name} text.axis") for name in ("slack", "latency")}
    assert {"slack": "event time (UTC)", "latency": "processing time (UTC)"} == axes


def test_the_page_fits_a_phone(page):
    page.set_viewport_size({"width": 390, "height": 844})
    assert 390 == page.evaluate("document.documentElement.scrollWidth")


def test_dark_is_dark(page):
    page.emulate_media(color_scheme="dark")
    back = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert "rgb(16, 22, 28)" == back
