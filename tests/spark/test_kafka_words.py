"""What is refused before a broker is asked; tests/kafka has the rest, with a broker."""

from __future__ import annotations

import pytest

import slackwater as sw
from slackwater.spark.kafka_source import check_arrival
from slackwater.spark.kafka_topics import Topic, no_answer, no_connector
from slackwater.spark.outputs import checked_destinations


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"time": "sent"}, 'time must be "header:NAME" or "timestamp"'),
        ({"time": "header:"}, 'time must be "header:NAME" or "timestamp"'),
        ({"arrival": "timestamp"}, 'arrival must be "append_time" or "offset"'),
        ({"topic": " , "}, "topic must not be empty"),
    ],
)
def test_a_word_that_means_nothing_is_refused(asked, said):
    with pytest.raises(sw.SlackwaterError, match=said):
        sw.from_kafka(None, "127.0.0.1:1", **{"topic": "bus", **asked})


def test_times_of_producers_are_no_arrival():
    with pytest.raises(sw.SlackwaterError, match="set it on topic 'scats'"):
        check_arrival("append_time", [Topic("bus", 4, True), Topic("scats", 4, False)])


@pytest.mark.parametrize("topics", [[Topic("bus", 2, True)], [Topic("bus", 1, True), Topic("scats", 1, True)]])
def test_offsets_of_two_partitions_are_no_arrival(topics):
    with pytest.raises(sw.SlackwaterError, match="one topic of one partition"):
        check_arrival("offset", topics)


def test_a_sink_has_one_topic():
    with pytest.raises(sw.SlackwaterError, match="topic must be one topic"):
        sw.to_kafka("127.0.0.1:1", "bus,scats")


def test_two_outputs_to_a_topic_have_two_names(tmp_path):
    sink = sw.to_kafka("127.0.0.1:1", "jams", name="mine")
    with pytest.raises(sw.SlackwaterError, match="name must be of one output to topic 'jams'"):
        checked_destinations({"results": sink, "late": sink}, checkpoint=str(tmp_path), columns={}, reads=())


@pytest.mark.parametrize(
    ("servers", "meant"),
    [
        ("broker", '"broker:9092"'),
        ("broker:", '"broker:9092"'),
        ("broker:kafka", '"broker:9092"'),
        (":9092", '"broker:9092"'),
        ("one:9092,two", '"two:9092"'),
        ("", '"broker:9092"'),
    ],
)
def test_an_address_without_a_port_is_refused_before_kafka_is_asked(servers, meant):
    for ask in (lambda: sw.from_kafka(None, servers, "bus"), lambda: sw.to_kafka(servers, "bus").for_output("results")):
        with pytest.raises(sw.SlackwaterError, match=f"addresses with ports, host:port.*such as {meant}"):
            ask()


class Thrown:
    """An exception of Java."""

    def __init__(self, message: str, cause: Thrown | None = None) -> None:
        self.getMessage, self.getCause = lambda: message, lambda: cause


def test_a_name_that_nobody_knows_is_told_from_the_cause():
    cause = Thrown("No resolvable bootstrap urls given in bootstrap.servers")
    error = no_answer({"kafka.bootstrap.servers": "brokr:9092"}, Thrown("Failed to create new KafkaAdminClient", cause))
    assert "servers must name hosts that can be found, got 'brokr:9092'" in str(error)


def test_a_broker_that_does_not_listen_is_no_unknown_name():
    error = no_answer({"kafka.bootstrap.servers": "broker:9092"}, Thrown("Timed out waiting for a node assignment"))
    assert "check the address, and that a broker listens there (Timed out" in str(error)


def test_a_sink_says_that_nobody_knows_a_name(monkeypatch):
    pytest.importorskip("confluent_kafka")
    monkeypatch.setattr("slackwater.spark.kafka_sink.PATIENCE", 1)
    with pytest.raises(sw.SlackwaterError, match=r"must name hosts that can be found, got 'no-host\.invalid:9092'"):
        sw.to_kafka("no-host.invalid:9092", "bus").for_output("results")


def test_who_has_no_connector_is_told_of_one_that_is_published():
    assert "spark-sql-kafka-0-10_2.13:4.2.0" in str(no_connector())
    assert "make kafka" in str(no_connector())
