"""What is refused before a broker is asked; tests/kafka has the rest, with a broker."""

from __future__ import annotations

import pytest

import slackwater as sw
from slackwater.spark.kafka_source import check_arrival
from slackwater.spark.kafka_topics import Topic
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
        checked_destinations({"results": sink, "late": sink}, checkpoint=str(tmp_path), columns=["ts"])
