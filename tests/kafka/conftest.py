"""A broker that all tests here share, and a session that can speak to it. Without the jars they are skipped."""

from __future__ import annotations

import os
import sys
import uuid
from pathlib import Path

import pytest

import slackwater as sw
from slackwater.testing.kafka_broker import JARS, KafkaBroker, connector_jars


def pytest_collection_modifyitems(items):
    skip = pytest.mark.skip(reason="needs a Kafka broker: make kafka-test")
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.kafka)
            if JARS not in os.environ:
                item.add_marker(skip)


@pytest.fixture(scope="session")
def broker(tmp_path_factory):
    with KafkaBroker(tmp_path_factory.mktemp("broker")) as running:
        yield running


@pytest.fixture(scope="session")
def spark():
    """Two cores, and Spark's connector."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    shared = sw.session(
        master="local[2]", app="slackwater-kafka", spark__jars=connector_jars(), spark__sql__session__timeZone="UTC"
    )
    shared.sparkContext.setLogLevel("ERROR")
    yield shared
    shared.stop()


@pytest.fixture
def topic(broker):
    """Create topics that no other test has."""

    def create(*, partitions: int = 1, **settings: str) -> str:
        name = f"t-{uuid.uuid4().hex[:8]}"
        broker.create_topic(name, partitions=partitions, **settings)
        return name

    return create
