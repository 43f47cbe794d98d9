"""The operators as users call them."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ColumnError, ContractMissingError, ParameterError

TABLE = pa.table({"ts": [1, 4, 3], "line": ["a", "b", "c"]})


def in_new_interpreter(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def named(name: str) -> sw.Stream:
    return sw.stream(TABLE, name=name, event_time="ts", unit="s")


def test_a_missing_contract_shows_three_examples(bus):
    with pytest.raises(ContractMissingError) as raised:
        sw.reorder(bus([1]))
    assert 3 == str(raised.value).count("contract=sw.")


def test_a_contract_by_its_number_is_refused(bus):
    with pytest.raises(ParameterError, match=r"contract must be a contract, got 5; such as sw\.DropRatio"):
        sw.reorder(bus([1]), contract=5)


def test_an_unknown_column_is_named_with_those_that_exist():
    with pytest.raises(ColumnError, match="stream 'bus': column 'time' does not exist; columns are: ts, line"):
        sw.stream(TABLE, name="bus", event_time="time")


def test_an_unknown_column_that_differs_in_case_only_gets_the_name_that_is_there():
    with pytest.raises(ColumnError, match="column 'Ts' does not exist; did you mean ts"):
        sw.stream(TABLE, name="bus", event_time="Ts")


def test_an_unknown_key_is_refused(bus):
    with pytest.raises(ColumnError, match="column 'route' does not exist"):
        sw.reorder(bus([1]), contract=sw.NoSlack(), by="route")


def test_an_unknown_unit_is_refused():
    with pytest.raises(ParameterError, match="unit must be"):
        sw.stream(TABLE, event_time="ts", unit="minutes")


def test_an_unknown_late_policy_is_refused(bus):
    with pytest.raises(ParameterError, match="late must be"):
        sw.reorder(bus([1]), contract=sw.NoSlack(), late="ignore")


def test_an_unknown_release_is_refused(bus):
    with pytest.raises(ParameterError, match="release must be"):
        sw.reorder(bus([1]), contract=sw.NoSlack(), release="never")


@pytest.mark.parametrize("parameter", ["max_ahead", "idle_after"])
def test_a_bad_duration_is_named(parameter):
    with pytest.raises(ParameterError, match=f"^{parameter} must be a duration"):
        sw.stream(TABLE, event_time="ts", unit="s", **{parameter: "5"})


def test_what_is_no_frame_is_refused():
    with pytest.raises(ParameterError, match="frame must be"):
        sw.stream([1, 2], event_time="ts")


def test_a_column_that_exists_twice_is_refused():
    twice = pa.table([pa.array([1]), pa.array([2])], names=["ts", "ts"])
    with pytest.raises(ColumnError):
        sw.reorder(sw.stream(twice, event_time="ts", unit="s"), contract=sw.NoSlack())


def test_a_frame_that_is_no_stream_is_refused():
    with pytest.raises(ParameterError):
        sw.reorder(TABLE, contract=sw.NoSlack())


def test_one_key_may_be_given_as_text(bus):
    assert sw.reorder(bus([1]), contract=sw.NoSlack(), by="line").node.by == ("line",)


def test_a_stream_prints_in_one_line():
    assert "<Stream bus: 3 rows by ts>" == repr(named("bus"))


def test_outputs_print_in_one_line_without_their_rows():
    ordered = sw.reorder(named("bus"), contract=sw.FixedSlack("1 second"))
    joined = sw.join(named("bus"), named("scats"), within="1 second", contract=sw.Recall(0.9))
    assert "<LocalReorder of bus: 3 rows, FixedSlack(slack=1 second)>" == repr(ordered)
    assert "<LocalJoin of bus, scats: 6 rows, Recall(target=0.9, over=1 minute)>" == repr(joined)


def test_an_empty_frame_whose_key_has_no_type_joins_with_anything():
    empty = sw.stream({"ts": pa.array([], pa.int64()), "line": pa.nulls(0)}, name="scats", event_time="ts", unit="s")
    joined = sw.join(named("bus"), empty, on="line", within="1 second", contract=sw.Recall(0.9))
    assert 0 == joined.results.num_rows


def test_every_public_name_exists():
    assert all(hasattr(sw, name) for name in sw.__all__)


def test_import_does_not_load_spark():
    assert "False" == in_new_interpreter("import slackwater, sys; print('pyspark' in sys.modules)")


def test_import_does_not_load_pandas_or_arrow():
    assert "set()" == in_new_interpreter("import slackwater, sys; print({'pandas', 'pyarrow'} & set(sys.modules))")


def test_import_takes_less_time_than_that_of_pandas():
    code = (
        "import numpy, time\n"  # both need it
        "start = time.process_time()\n"
        "import slackwater\n"
        "ours = time.process_time() - start\n"
        "import pandas\n"
        "print(ours / (time.process_time() - start - ours))"
    )
    assert 0.85 > min(float(in_new_interpreter(code)) for _ in range(5))


def test_running_in_process_does_not_load_spark():
    code = (
        "import sys, slackwater as sw\n"
        "bus = sw.stream({'ts': [2, 1]}, event_time='ts', unit='s')\n"
        "sw.reorder(bus, contract=sw.NoSlack()).results\n"
        "print('pyspark' in sys.modules)"
    )
    assert "False" == in_new_interpreter(code)
