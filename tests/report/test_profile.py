from __future__ import annotations

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.report.profile import curves, write_profile_page

TABLE = pa.table(
    {
        "ts": [1_000, 4_000, 3_000, 9_000, 2_000, 9_500],
        "key": ["a", "<script>alert(1)</script>", "a", "b", "b", "b"],
    }
)


@pytest.fixture
def found():
    return sw.profile(TABLE, event_time="ts", unit="ms", by="key", stream="key")


def test_the_page_loads_nothing_and_shows_text_as_text(found, tmp_path):
    page = write_profile_page(tmp_path / "p.html", found).read_text()
    assert "<script>alert(1)</script>" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "default-src 'none'" in page


def test_the_page_has_a_place_for_every_figure(found, tmp_path):
    page = write_profile_page(tmp_path / "p.html", found).read_text()
    assert 3 == page.count('<div class="figure"')


def test_the_curve_of_all_ends_where_only_the_largest_delay_is_late(found):
    line = curves(found).data[0]
    assert ("all", pytest.approx(1 / 6)) == (line.name, line.y[-1])
    assert 7_000 / 1.03 < line.x[-1] < 7_000


@pytest.mark.parametrize("times", [[], [None, None], [1_000], [1_000, 1_000]])
def test_a_page_without_much_to_show_is_written(times, tmp_path):
    found = sw.profile(pa.table({"ts": pa.array(times, pa.int64())}), event_time="ts", unit="ms")
    assert "<h1>Disorder of frame</h1>" in write_profile_page(tmp_path / "p.html", found).read_text()


def test_suspicions_are_on_the_page(tmp_path):
    found = sw.profile(pa.table({"ts": [1_714_564_800, 1_714_564_801]}), event_time="ts", unit="ms")
    assert "seconds read as milliseconds" in write_profile_page(tmp_path / "p.html", found).read_text()
