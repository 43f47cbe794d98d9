"""The transcripts played on Spark: all on the processor, the documents' examples and some edges on a real query."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import pytest

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


def in_two_batches(title: str):
    """Return the transcript of this title, up to its first drain: a query ends by itself."""
    found = next(transcript for transcript in TRANSCRIPTS if transcript.title == title)
    steps = takewhile(lambda step: not step.drain, found.steps)
    return replace(found, steps=tuple(steps)).in_batches(2)


ON_QUERY = {
    title: in_two_batches(title)
    for title in (
        "K-slack releases when the clock grows",
        "Static K-slack",
        "Adaptive K-slack waits as long as the largest delay so far",
        "Speculative K-slack waits a fraction of it",
        "Raising the slack takes nothing back",
        "A clock from the future does not poison time",
    )
}


@pytest.fixture(scope="module")
def queries(spark, tmp_path_factory):
    """All queries, started at once: most of their time is spent in waiting."""
    started = {}
    for title, transcript in ON_QUERY.items():
        started[title] = Query(spark, tmp_path_factory.mktemp("query"), transcript).start()
    return started


@pytest.mark.spark
@pytest.mark.parametrize("title", ON_QUERY)
def test_query_follows_the_transcript(queries, title):
    check_transcript(ON_QUERY[title], queries[title].play)
