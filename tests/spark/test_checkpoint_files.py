"""A checkpoint with a file that is damaged or missing is refused, and the file is named; no session is needed."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from slackwater.errors import StateError
from slackwater.spark.checkpoint_files import check_files
from slackwater.spark.hooks import Hooks


@pytest.fixture
def checkpoint(tmp_path):
    """What Spark leaves of twelve batches of a stream of files, and of another one that has an offset of its own."""
    for folder in ("offsets", "commits", "sources/0", "state/0/0"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "metadata").write_text('{"id":"1"}')
    (tmp_path / "state" / "0" / "0" / "1.changelog").touch()
    for number in range(12):
        offset = f'v1\n{{"conf":{{}}}}\n{{"logOffset":{number}}}\n{{"topic":{{"0":7}}}}'
        (tmp_path / "offsets" / str(number)).write_text(offset)
        (tmp_path / "commits" / str(number)).write_text('v1\n{"nextBatchWatermarkMs":0}')
        name = "9.compact" if number == 9 else str(number)
        (tmp_path / "sources" / "0" / name).write_text('v1\n{"path":"file:///a"}')
    return tmp_path


def test_a_whole_checkpoint_is_fine(checkpoint):
    check_files(checkpoint)
    check_files(f"file://{checkpoint}")


@pytest.mark.parametrize("where", ["offsets/11", "sources/0/11", "sources/0/9.compact", "metadata"])
@pytest.mark.parametrize("damage", [b"", b"v", b"v1", b"v1\n{", b"v1\n\xff\xfe", b"nonsense\n{}"])
def test_a_damaged_file_is_named(checkpoint, where, damage):
    (checkpoint / where).write_bytes(damage)
    with pytest.raises(StateError, match=f"a damaged file .*{where}.*; restore the checkpoint"):
        check_files(checkpoint)


def test_a_damaged_commit_is_named(checkpoint):
    (checkpoint / "commits" / "11").write_bytes(b"")
    with pytest.raises(StateError, match=r"a damaged file .*commits/11"):
        check_files(checkpoint)


def test_the_offsets_of_a_batch_that_was_not_committed_may_be_deleted(checkpoint):
    (checkpoint / "offsets" / "12").write_bytes(b"")
    with pytest.raises(StateError, match=r"offsets/12.*it can be deleted.*With a Kafka sink"):
        check_files(checkpoint)
    (checkpoint / "offsets" / "12").unlink()
    check_files(checkpoint)


@pytest.mark.parametrize("where", ["offsets/11", "sources/0/11", "sources/0/10", "metadata"])
def test_a_missing_file_is_named(checkpoint, where):
    (checkpoint / where).unlink()
    with pytest.raises(StateError, match=r"no file .*(offsets|sources|metadata).*restore the checkpoint"):
        check_files(checkpoint)


def test_files_before_the_last_compact_one_are_not_needed(checkpoint):
    for number in range(9):
        (checkpoint / "sources" / "0" / str(number)).unlink()
    check_files(checkpoint)


def test_a_compact_file_beyond_the_last_offsets_has_all_before_it(checkpoint):
    for file in (checkpoint / "sources" / "0").iterdir():
        file.unlink()
    (checkpoint / "sources" / "0" / "19.compact").write_text('v1\n{"path":"file:///a"}')
    check_files(checkpoint)


def test_logs_of_named_sources_are_left_to_spark(checkpoint):
    (checkpoint / "sources" / "0").rename(checkpoint / "sources" / "bus")
    check_files(checkpoint)


@pytest.fixture
def shared(checkpoint):
    """The same of a frame that is used twice: two offsets, one log."""
    for number in range(12):
        offset = f'v1\n{{"conf":{{}}}}\n{{"logOffset":{number}}}\n{{"logOffset":{number}}}'
        (checkpoint / "offsets" / str(number)).write_text(offset)
    return checkpoint


def test_two_offsets_may_be_of_one_source(shared):
    check_files(shared)


def test_a_source_that_has_read_nothing_yet_may_stand_beside_a_shared_one(shared):
    for number in range(12):
        with (shared / "offsets" / str(number)).open("a") as offsets:
            offsets.write("\n-")
    (shared / "sources" / "1").mkdir()
    check_files(shared)


@pytest.mark.parametrize("where", ["10", "11"])
def test_a_missing_file_of_a_shared_source_is_named(shared, where):
    (shared / "sources" / "0" / where).unlink()
    with pytest.raises(StateError, match=f"no file .*sources/0/{where}"):
        check_files(shared)


def test_a_lost_log_of_a_source_is_named_where_another_has_come_as_far(shared):
    (shared / "slackwater").mkdir()
    (shared / "slackwater" / "input.json").write_text('{"batch": 11, "logs": ["0", "1"]}')
    with pytest.raises(StateError, match=r"no file .*sources/1;|no file .*sources/1,"):
        check_files(shared)


def test_missing_commits_are_no_loss(checkpoint):
    for file in (checkpoint / "commits").iterdir():
        file.unlink()
    check_files(checkpoint)


def test_missing_state_is_noticed(checkpoint):
    (checkpoint / "state" / "0" / "0" / "1.changelog").unlink()
    (checkpoint / "state" / "0" / "0").rmdir()
    with pytest.raises(StateError, match=r"no file .*state"):
        check_files(checkpoint)


def test_state_without_offsets_is_noticed(checkpoint):
    for log in ("offsets", "commits"):
        for file in (checkpoint / log).iterdir():
            file.unlink()
    with pytest.raises(StateError, match=r"no file .*offsets/0"):
        check_files(checkpoint)


@pytest.mark.parametrize("where", ["s3a://bucket/checkpoint", "dbfs:/checkpoint"])
def test_a_checkpoint_that_cannot_be_looked_into_is_left_to_spark(where):
    check_files(where)


def test_a_new_checkpoint_is_fine(tmp_path):
    check_files(tmp_path)
    check_files(tmp_path / "not there")
    (tmp_path / "offsets").mkdir()
    check_files(tmp_path)


def test_a_contract_file_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "slackwater").mkdir()
    (tmp_path / "slackwater" / "contract.json").write_text('{"of": "MaxSlack()", "contract": "recal 0.9"}')
    hooks = Hooks(tmp_path, begun=None, about=SimpleNamespace(of="MaxSlack()"), latency=None, check=None, spread=None)
    with pytest.raises(StateError, match=r"contract.json with the contract 'recal 0.9'.*delete the file"):
        hooks.for_writer()
