"""The transcripts played on Spark: on the processor, and on real queries."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import pytest

from slackwater.core.late import LatePolicy
from slackwater.testing.check import TranscriptError, check_transcript
from slackwater.testing.transcripts import read_transcripts
from tests.transcripts.runners import Query, play_on_processor

FOLDER = Path(__file__).parents[1] / "transcripts"
TRANSCRIPTS = read_transcripts(FOLDER)


def marked(transcripts, runner):
    """Expect those to fail that say they are broken on a runner."""
    for transcript in transcripts:
        reason = transcript.broken_on.get(runner)
        marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
        yield pytest.param(transcript, marks=marks, id=str(transcript))


@pytest.mark.parametrize("transcript", list(marked(TRANSCRIPTS, "processor")))
def test_processor_follows_the_transcript(transcript):
    check_transcript(transcript, play_on_processor)


@pytest.mark.parametrize("transcript", list(marked(TRANSCRIPTS, "processor")))
def test_processor_follows_the_transcript_in_one_batch(transcript):
    check_transcript(transcript.in_batches(1), play_on_processor)


@pytest.mark.parametrize("transcript", read_transcripts(FOLDER / "wrong"), ids=str)
def test_checker_notices_what_is_wrong_on_the_processor_too(transcript):
    with pytest.raises(TranscriptError) as failure:
        check_transcript(transcript, play_on_processor)
    assert transcript.fails in str(failure.value)


def in_two_batches(transcript):
    """Return a transcript up to its first drain, in two batches: a query ends by itself."""
    steps = takewhile(lambda step: not step.drain, transcript.steps)
    return replace(transcript, steps=tuple(steps)).in_batches(2)


# A query that is told to raise has no outputs to compare: the processor plays those.
QUIET = [t for t in TRANSCRIPTS if t.node.late != LatePolicy.fail() and not t.broken_on]
ON_QUERY = {t.title: told for t in QUIET if (told := in_two_batches(t)).steps}


@pytest.fixture(scope="module")
def queries(spark, tmp_path_factory):
    """Start the query of a title and the next few: most of their time is spent in waiting."""
    started, titles = {}, list(ON_QUERY)

    def query_of(title):
        for each in titles[titles.index(title) :][:4]:
            if each not in started:
                started[each] = Query(spark, tmp_path_factory.mktemp("query"), ON_QUERY[each]).start()
        return started[title]

    return query_of


@pytest.mark.spark
@pytest.mark.timeout(900)
@pytest.mark.parametrize("title", ON_QUERY)
def test_query_follows_the_transcript(queries, title):
    check_transcript(ON_QUERY[title], queries(title).play)
