"""The example runs as its README says; what is wrong with a pipeline over Kafka is said at its place."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import slackwater as sw
from slackwater.sql.pipeline import read_pipeline
from slackwater.sql.run import run
from slackwater.testing.kafka_broker import jars_folder
from tests.kafka.topics import committed

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "examples" / "kafka"


@pytest.fixture(scope="module")
def servers():
    """Run the broker of the example."""
    command = [sys.executable, str(EXAMPLE / "broker.py"), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as running:
        try:
            yield running.stdout.readline().split(";")[0].removeprefix("a broker listens on ")
        finally:
            running.kill()


def ran(*command: str, folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        timeout=400,
        check=False,
    )
    assert 0 == done.returncode, done.stdout + done.stderr[-3000:]
    return done.stdout


def pipeline(folder: Path, servers: str) -> list[str]:
    """Return the command that runs the example's file, for this broker."""
    text = (EXAMPLE / "jams.sql").read_text().replace("127.0.0.1:9092", servers)
    (folder / "jams.sql").write_text(text.replace("build/kafka", str(jars_folder())))
    return ["-m", "slackwater.cli.main", "run", "jams.sql", "--checkpoint", "checkpoint", "--once"]


def test_the_example_gives_every_result_once_in_python_and_in_sql(servers, tmp_path):
    sent = ran(str(EXAMPLE / "producer.py"), servers, "5", folder=tmp_path)
    assert "sent 5000 rows, and 1 that cannot be read\n" == sent
    query = str(EXAMPLE / "query.py")
    assert "'arrived': 5001" in ran(query, servers, folder=tmp_path)
    jams = committed(servers, "jams")
    missed = [row["reason"] for row in committed(servers, "missed")]
    assert len(jams) > 100
    assert 1 == missed.count("null_time")
    ran(query, servers, folder=tmp_path)  # nothing is new, nothing is written again
    assert jams == committed(servers, "jams")
    said = ran(*pipeline(tmp_path, servers), folder=tmp_path)
    assert "-> topic jams" in said
    assert 2 * len(jams) == len(committed(servers, "jams"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("subscribe = 'bus'", "subscribe = 'bsu'", "did you mean bus?"),
        ("topic = 'jams'", "topic = 'jam'", "did you mean jams?"),
        ("127.0.0.1:9092", "127.0.0.1:1", "answers within 10 seconds"),
        ("event_time = 'header:happened',", "", "nothing says which column has the event time"),
    ],
)
def test_a_pipeline_says_at_its_place_which_broker_or_topic_is_missing(servers, spark, tmp_path, old, new, said):
    text = (EXAMPLE / "jams.sql").read_text()
    assert old in text
    pipeline = read_pipeline(text.replace(old, new).replace("127.0.0.1:9092", servers))
    with pytest.raises(sw.SqlError, match=said) as caught:
        list(run(pipeline, checkpoint=tmp_path / "checkpoint", once=True))
    assert "CREATE S" in str(caught.value)
