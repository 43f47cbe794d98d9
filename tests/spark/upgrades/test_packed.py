"""A stopped query is the same wherever it is unpacked, but for the paths in it; no Spark needed."""

from __future__ import annotations

import os

from tests.spark.upgrades.packed import pack, unpack


def test_paths_are_those_of_where_it_is_unpacked_and_times_stay(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    (one / "sources").mkdir(parents=True)
    (one / "sources" / "0").write_text(f'{{"path":"file://{one}/in/0.parquet"}}')
    (one / "sources" / ".0.crc").touch()
    os.utime(one / "sources" / "0", (1_700_000_000,) * 2)
    pack(one, tmp_path / "packed" / "one.tar.xz")
    unpack(tmp_path / "packed" / "one.tar.xz", other)
    assert f'{{"path":"file://{other}/in/0.parquet"}}' == (other / "sources" / "0").read_text()
    assert ["0"] == [path.name for path in (other / "sources").iterdir()]
