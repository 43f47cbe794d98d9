"""The transcripts played in process, and the checker itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.errors import ParameterError
from slackwater.testing.check import TranscriptError, check_transcript
from slackwater.testing.local_runner import play_in_process
from slackwater.testing.transcripts import read_transcript, read_transcripts

FOLDER = Path(__file__).parents[1] / "transcripts"
STORY = {"title": "any", "contract": "NoSlack", "steps": []}


@pytest.mark.parametrize("transcript", read_transcripts(FOLDER), ids=str)
def test_pipeline_follows_the_transcript(transcript):
    check_transcript(transcript, play_in_process)


@pytest.mark.parametrize("transcript", read_transcripts(FOLDER), ids=str)
@pytest.mark.parametrize("batches", [1, 2])
def test_pipeline_follows_the_transcript_in_fewer_batches(transcript, batches):
    check_transcript(transcript.in_batches(batches), play_in_process)


@pytest.mark.parametrize("transcript", read_transcripts(FOLDER / "wrong"), ids=str)
def test_checker_notices_what_is_wrong(transcript):
    with pytest.raises(TranscriptError) as failure:
        check_transcript(transcript, play_in_process)
    assert transcript.fails in str(failure.value)


def test_every_k_slack_example_of_the_documents_has_a_transcript():
    sources = " ".join(transcript.source for transcript in read_transcripts(FOLDER))
    assert {"E1,", "E10,", "E11,", "E12,"} <= set(sources.split())


def test_broken_on_needs_a_reason():
    with pytest.raises(ParameterError, match="broken_on must give a reason"):
        read_transcript({**STORY, "broken_on": ["query"]})


def test_broken_on_with_a_reason_is_kept():
    assert {"query": "why"} == read_transcript({**STORY, "broken_on": {"query": "why"}}).broken_on


@pytest.mark.parametrize(
    "story",
    [
        {**STORY, "slack": 1},
        {**STORY, "steps": [{"arive": [1]}]},
        {**STORY, "steps": [{"arrive": [1], "expect": {"relesed": [1]}}]},
    ],
    ids=["transcript", "step", "expect"],
)
def test_unknown_keys_are_refused(story):
    with pytest.raises(ParameterError, match="must have known keys only"):
        read_transcript(story)


def test_unknown_contract_is_refused():
    with pytest.raises(ParameterError, match="contract must be a known one"):
        read_transcript({**STORY, "contract": "BestEffort"})
