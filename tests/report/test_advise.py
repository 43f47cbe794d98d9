from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.report.advise import by_slack, by_wait, write_advice_page

GENERATOR = np.random.default_rng(1)
ROWS = pa.table(
    {
        "ts": np.arange(20_000) * 50
        - np.where(GENERATOR.random(20_000) < 0.1, GENERATOR.integers(0, 9_000, 20_000), 0),
        "key": ["<script>alert(1)</script>", "b"] * 10_000,
    }
)


@pytest.fixture(scope="module")
def found():
    return sw.advise(ROWS, event_time="ts", unit="ms", by="key", contract=sw.DropRatio(0.01))


def test_the_page_loads_nothing_and_shows_text_as_text(found, tmp_path):
    page = write_advice_page(tmp_path / "a.html", found).read_text()
    assert "<script>alert(1)</script>" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "default-src 'none'" in page


def test_the_page_has_the_contract_and_both_programs(found, tmp_path):
    page = write_advice_page(tmp_path / "a.html", found).read_text()
    assert 3 == page.count("sw.DropRatio(0.01, over=&quot;1 minute&quot;)")
    assert 2 == page.count('<div class="figure"')


def test_points_lie_where_the_policies_are(found):
    drawn = {trace.name: (trace.x[0], trace.y[0]) for trace in by_slack(found).data if trace.mode == "markers"}
    contract = found.policies[0]
    assert (contract.slack / 1e6, contract.missed) == drawn["the contract, on average"]
    assert (found.spark.slack / 1e6, found.spark.missed) == drawn["Spark's watermark"]


def test_the_curve_by_wait_has_the_mean_waits(found):
    line = next(trace for trace in by_wait(found).data if trace.name == "any constant slack")
    seen = (found.curve.mean_wait > 0) & (found.curve.missed > 0)
    assert (found.curve.mean_wait[seen] / 1e6).tolist() == list(line.x)


@pytest.mark.parametrize("times", [[1_000], [1_000, 2_000, 1_500], [1_000, 1_000]])
def test_a_page_without_much_to_show_is_written(times, tmp_path):
    found = sw.advise(pa.table({"ts": times}), event_time="ts", unit="ms", contract=sw.DropRatio(0.01))
    assert "<h2>Beware</h2>" in write_advice_page(tmp_path / "a.html", found).read_text()


@pytest.mark.slow
def test_real_browser_draws_every_figure(found, tmp_path):
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("needs a browser: apt-get install chromium")
    page = write_advice_page(tmp_path / "a.html", found)
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
    command = [browser, *options, "--virtual-time-budget=20000", "--dump-dom", f"--user-data-dir={tmp_path}"]
    shown = subprocess.run([*command, page.as_uri()], capture_output=True, text=True, timeout=120, check=True).stdout
    assert 2 == shown.count('class="figure js-plotly-plot"')
