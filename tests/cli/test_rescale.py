"""What `slackwater rescale` says; what it does is tested with Spark."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from slackwater.spark.rescale import Rescaled
from tests.cli.test_main import run


def test_it_says_where_the_number_and_the_folder_go(monkeypatch):
    session = SimpleNamespace(sparkContext=SimpleNamespace(setLogLevel=lambda level: None), stop=lambda: None)
    monkeypatch.setattr("slackwater.api.session", lambda **options: session)
    done = Rescaled(Path("/out/more"), "join", before=2, after=4, partitions=4, batch=7)
    monkeypatch.setattr("slackwater.api_rescale.rescale", lambda *folders, **options: done)
    shown = run("rescale", "/out/c", "--to", "/out/more", "--buckets", "4")
    assert shown.stdout == (
        '2 buckets became 4, after batch 7; go on with buckets=4 in sw.join() and checkpoint="/out/more" in start()\n'
    )


def test_its_help_says_so_too():
    shown = " ".join(run("rescale", "--help").stdout.split())
    assert "another buckets= in its operator, such as sw.join, and another checkpoint= in start()" in shown
