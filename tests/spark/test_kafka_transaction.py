"""A broker that is busy is asked again; one that does not know is never taken for one that says no."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from slackwater.spark import kafka_transaction
from slackwater.spark.kafka_transaction import next_batch, patiently


class Answers:
    """A consumer's `committed`, which gives these answers, one after the other."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)

    def committed(self, places: list[TopicPartition], timeout: float) -> list[TopicPartition]:
        answer = self.answers.pop(0)
        if isinstance(answer, KafkaException):
            raise answer
        return [answer]


class Place:
    def __init__(self, offset: int, error: KafkaError | None = None) -> None:
        self.offset, self.error = offset, error


def failure(code: int) -> KafkaException:
    return KafkaException(KafkaError(code))


def test_a_coordinator_that_has_just_begun_is_asked_again():
    consumer = Answers(failure(KafkaError.NOT_COORDINATOR), failure(KafkaError.UNSTABLE_OFFSET_COMMIT), Place(7))
    assert 7 == patiently(lambda left: next_batch(consumer, "jams", left))


def test_an_answer_with_an_error_in_it_is_no_answer():
    consumer = Answers(Place(-1001, KafkaError(KafkaError.COORDINATOR_LOAD_IN_PROGRESS)), Place(3))
    assert 3 == patiently(lambda left: next_batch(consumer, "jams", left))


def test_what_does_not_pass_is_an_error_at_once():
    with pytest.raises(KafkaException, match="GROUP_AUTHORIZATION_FAILED"):
        patiently(lambda left: next_batch(Answers(failure(KafkaError.GROUP_AUTHORIZATION_FAILED)), "jams", left))


def test_patience_ends(monkeypatch):
    monkeypatch.setattr(kafka_transaction, "_PATIENCE", -1.0)
    with pytest.raises(KafkaException, match="NOT_COORDINATOR"):
        patiently(lambda left: next_batch(Answers(failure(KafkaError.NOT_COORDINATOR)), "jams", left))
