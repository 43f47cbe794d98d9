"""The analysis of a join's condition: what becomes a key, a filter, a residual; and every way to get it wrong."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

from slackwater.errors import ColumnError, ParameterError
from slackwater.plan.condition import ColumnOf, Conjunct, Equality, JoinCondition, KeyClass, analyze_condition

BUS = pa.schema(
    {
        "area": pa.int32(),
        "line": pa.string(),
        "delay": pa.int32(),
        "x": pa.float64(),
        "y": pa.float64(),
        "place": pa.struct({"floor": pa.int64()}),
        "seats": pa.list_(pa.int64()),
        "seen": pa.timestamp("ms"),
        "crowded": pa.bool_(),
    }
)
SCATS = pa.schema(
    {
        "area": pa.int64(),
        "zone": pa.dictionary(pa.int8(), pa.large_string()),
        "Flow": pa.int32(),
        "x": pa.float64(),
        "y": pa.float64(),
        "at": pa.timestamp("us", tz="UTC"),
        "other seats": pa.list_(pa.int64()),
        "price": pa.decimal128(9, 2),
    }
)
STREAMS = [("bus", BUS), ("scats", SCATS)]


def analyzed(on=None, where=None, streams=STREAMS) -> JoinCondition:
    return analyze_condition(on, where, streams)


def key(*columns: tuple[int, str]) -> KeyClass:
    return KeyClass(tuple(ColumnOf(stream, column) for stream, column in columns))


def written(conjuncts: tuple[Conjunct, ...]) -> list[str]:
    return [each.sql for each in conjuncts]


def numbered(*names: str) -> list[tuple[str, pa.Schema]]:
    """Streams s1, s2, ... with the columns that are named, one text of letters each."""
    return [(f"s{i}", pa.schema({name: pa.int64() for name in columns})) for i, columns in enumerate(names, start=1)]


# on


def test_on_a_name_is_a_key_of_every_stream():
    assert (key((0, "area"), (1, "area")),) == analyzed("area").key_classes


def test_on_several_names_is_as_many_keys():
    assert 2 == len(analyzed(["x", "y"]).key_classes)


def test_on_a_mapping_names_the_column_of_each_stream():
    assert (key((0, "line"), (1, "zone")),) == analyzed({"scats": "zone", "bus": "line"}).key_classes


def test_on_a_mapping_of_lists_compares_them_in_turn():
    found = analyzed({"bus": ["line", "delay"], "scats": ["zone", "Flow"]})
    assert (key((0, "line"), (1, "zone")), key((0, "delay"), (1, "Flow"))) == found.key_classes


def test_on_a_text_with_operators_is_a_condition():
    streams = [(f"s{i}", pa.schema({"a1": pa.int64(), "a2": pa.int64(), "a3": pa.int64()})) for i in (1, 2, 3, 4)]
    found = analyzed("s1.a1 = s2.a1 and s1.a2 = s3.a2 and s1.a3 = s4.a3", streams=streams)
    assert (key((0, "a1"), (1, "a1")), key((0, "a2"), (2, "a2")), key((0, "a3"), (3, "a3"))) == found.key_classes


def test_on_a_column_whose_name_is_not_a_word_is_still_a_name():
    streams = [("a", pa.schema({"my key": pa.int64()})), ("b", pa.schema({"my key": pa.int64()}))]
    assert (key((0, "my key"), (1, "my key")),) == analyzed("my key", streams=streams).key_classes


def test_nothing_at_all_is_a_condition_that_always_holds():
    assert JoinCondition() == analyzed()


# where: equalities


def test_an_equality_of_columns_of_two_streams_is_a_key_and_no_residual():
    found = analyzed(where="bus.line = scats.zone")
    assert (key((0, "line"), (1, "zone")),) == found.key_classes
    assert () == found.residuals
    assert (Equality(ColumnOf(0, "line"), ColumnOf(1, "zone")),) == found.equalities


def test_columns_that_are_equal_through_a_third_are_in_one_class():
    found = analyzed(where="s1.a = s2.b and s3.c = s2.b", streams=numbered("a", "b", "c"))
    assert (key((0, "a"), (1, "b"), (2, "c")),) == found.key_classes


def test_two_classes_that_an_equality_connects_become_one():
    found = analyzed(where="s1.a = s2.b and s3.c = s4.d and s1.a = s4.d", streams=numbered("a", "b", "c", "d"))
    assert (key((0, "a"), (1, "b"), (2, "c"), (3, "d")),) == found.key_classes


def test_a_second_column_of_a_stream_in_a_class_becomes_a_filter():
    found = analyzed(where="s1.a = s2.b and s2.b = s1.c", streams=numbered("ac", "b"))
    assert (key((0, "a"), (1, "b")),) == found.key_classes
    assert ["s1.a = s1.c"] == written(found.filters)


def test_an_equality_that_on_says_already_adds_nothing():
    assert analyzed("area").key_classes == analyzed("area", "scats.area = bus.area").key_classes


def test_an_equality_of_something_computed_is_a_residual():
    assert ["bus.area = scats.area + 1"] == written(analyzed(where="bus.area = scats.area + 1").residuals)


def test_an_equality_under_or_is_a_residual():
    found = analyzed(where="bus.area = scats.area or delay > 5")
    assert ((), 1) == (found.key_classes, len(found.residuals))


def test_an_equality_of_fields_inside_columns_is_a_residual():
    streams = [("a", BUS), ("b", BUS)]
    assert ["a.place.floor = b.place.floor"] == written(
        analyzed(where="a.place.floor = b.place.floor", streams=streams).residuals
    )


def test_an_equality_of_lists_is_a_residual():
    assert 1 == len(analyzed(where='seats = "other seats"').residuals)


# where: filters and residuals


def test_a_conjunct_over_one_stream_is_a_filter_and_over_two_a_residual():
    found = analyzed(where="bus.delay > 60 and scats.flow > 400 and delay < flow")
    assert ["bus.delay > 60", "scats.Flow > 400"] == written(found.filters)
    assert ["bus.delay < scats.Flow"] == written(found.residuals)


def test_and_is_split_also_inside_parentheses():
    assert 3 == len(analyzed(where="((delay > 1) and (delay > 2 and (flow > 3)))").filters)


def test_or_is_not_split():
    assert ["(bus.delay > 1 AND bus.delay < 5) OR bus.delay = 9"] == written(
        analyzed(where="(delay > 1 and delay < 5) or delay = 9").filters
    )


def test_a_conjunct_says_its_streams_and_columns_and_can_be_evaluated():
    assert (
        Conjunct((0, 1), (ColumnOf(1, "Flow"), ColumnOf(0, "delay")), "scats.Flow > bus.delay + 1", "c0 > c1 + 1"),
    ) == analyzed(where="flow > delay + 1").residuals


def test_the_arms_of_between_do_not_end_a_conjunct():
    found = analyzed(where="delay between 1 and 5 and flow > 0")
    assert ["bus.delay BETWEEN 1 AND 5", "scats.Flow > 0"] == written(found.filters)


def test_a_bool_column_is_a_condition():
    assert ["bus.crowded"] == written(analyzed(where="crowded").filters)


def test_a_conjunct_that_is_always_true_is_dropped():
    assert JoinCondition() == analyzed(where="1 = 1")


@pytest.mark.parametrize("never", ["1 = 0", "null", "false", "null = null"])
def test_a_conjunct_that_is_never_true_lets_no_row_pass(never):
    assert ["false"] == [each.expression for each in analyzed(where=never).filters]


def test_dist_and_squares_are_products():
    expression = analyzed(where="dist(bus.x, bus.y, scats.x, scats.y) < 5").residuals[0].expression
    assert "DIST" not in expression.upper()
    assert "POW" not in analyzed(where="(delay - flow) ** 2 < 5").residuals[0].expression.upper()


def test_a_condition_pickles():
    found = analyzed("area", "delay > 60 and dist(bus.x, bus.y, scats.x, scats.y) < delay")
    assert found == pickle.loads(pickle.dumps(found))


# names


def test_a_bare_column_that_one_stream_has_is_found():
    assert (ColumnOf(0, "delay"),) == analyzed(where="delay > 5").filters[0].columns


def test_a_bare_column_that_two_streams_have_is_an_error_that_lists_them():
    with pytest.raises(ParameterError, match=r"which stream's 'x'.*write bus\.x or scats\.x"):
        analyzed(where="x > 5")


def test_an_unknown_bare_column_is_an_error_with_a_near_match():
    with pytest.raises(ParameterError, match=r"not 'deley'.*did you mean bus\.delay\?.*scats\.Flow"):
        analyzed(where="deley > 5")


def test_an_unknown_column_of_a_stream_is_an_error_with_a_near_match():
    with pytest.raises(ColumnError, match=r"'bus': column 'deley' does not exist; did you mean delay\? columns are"):
        analyzed(where="bus.deley > 5")


def test_an_unknown_stream_is_an_error_with_a_near_match():
    with pytest.raises(ParameterError, match=r"not 'buss'.*did you mean bus\? streams are: bus, scats"):
        analyzed(where="buss.delay > 5")


def test_a_text_in_double_quotes_is_told_how_texts_are_written():
    with pytest.raises(ParameterError, match="single quotes"):
        analyzed(where='line = "46A"')


def test_case_matters_only_where_it_distinguishes():
    streams = [("a", pa.schema({"k": pa.int64(), "K": pa.int64()})), ("b", pa.schema({"Z": pa.int64()}))]
    assert (key((0, "K"), (1, "Z")),) == analyzed(where="A.K = B.z", streams=streams).key_classes
    streams = [("a", pa.schema({"kk": pa.int64(), "KK": pa.int64()}))]
    with pytest.raises(ColumnError, match="any of kk, KK"):
        analyzed(where="a.Kk = 1", streams=streams)


def test_on_a_column_that_a_stream_lacks_is_an_error():
    with pytest.raises(ColumnError, match="'scats': column 'line' does not exist"):
        analyzed("line")


def test_on_a_mapping_without_a_stream_is_an_error():
    with pytest.raises(ParameterError, match=r"on must name every stream.*add scats"):
        analyzed({"bus": "area"})


def test_on_a_mapping_with_an_unknown_stream_is_an_error():
    with pytest.raises(ParameterError, match="not 'trams'"):
        analyzed({"trams": "area", "scats": "area"})


def test_on_lists_of_different_lengths_is_an_error():
    with pytest.raises(ParameterError, match="as many columns"):
        analyzed({"bus": ["x", "y"], "scats": "x"})


@pytest.mark.parametrize("on", [5, [], ["area", 3], [""]])
def test_on_something_else_is_an_error(on):
    with pytest.raises(ParameterError, match="on must name columns"):
        analyzed(on)


# types


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (pa.int8(), pa.uint64()),
        (pa.int64(), pa.float32()),
        (pa.decimal128(9, 2), pa.int64()),
        (pa.string(), pa.dictionary(pa.int32(), pa.large_string())),
        (pa.timestamp("s"), pa.timestamp("ns")),
        (pa.binary(), pa.large_binary()),
        (pa.bool_(), pa.bool_()),
        (pa.date32(), pa.date64()),
    ],
)
def test_types_of_one_family_can_be_keys(left, right):
    streams = [("a", pa.schema({"k": left})), ("b", pa.schema({"k": right}))]
    assert 1 == len(analyzed("k", streams=streams).key_classes)


@pytest.mark.parametrize(
    "where", ["bus.line = scats.area", "seen = scats.area", "crowded = scats.area", "seats = flow"]
)
def test_types_that_are_never_equal_are_an_error_that_names_both(where):
    with pytest.raises(ColumnError, match=r"is .* and cannot equal scats\..*, which is int.*; cast one"):
        analyzed(where=where)


def test_on_a_column_that_cannot_be_a_key_is_an_error():
    with pytest.raises(ColumnError, match="cast one"):
        analyzed({"bus": "seats", "scats": "other seats"})


@pytest.mark.parametrize("where", ["bus.delay + 1", "delay", "'yes'", "flow > 1 and delay"])
def test_what_is_not_true_or_false_is_an_error(where):
    with pytest.raises(ParameterError, match=r"be true or false: .* is .*; compare it"):
        analyzed(where=where)


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("nosuch(delay) > 1", "nosuch does not exist"),
        ("line > 5", "cast"),
        ("delay + line > 5", "cast"),
        ("delay > 1 and", "something is missing at column"),
        ("delay > 1; drop table bus", "Unexpected token at column 15"),
        ("'oops", "tokeniz"),
        ("", "No expression"),
        ("dist(bus.x, bus.y) < 5", "four arguments, not 2.*write dist"),
        ("1 = cast('a' as int)", "Could not convert"),
    ],
)
def test_what_cannot_be_understood_is_an_error_that_says_why(where, says):
    with pytest.raises(ParameterError, match=f"where must .*{says}"):
        analyzed(where=where)


@pytest.mark.parametrize(
    "where",
    [
        "delay > (select 1)",
        "exists (select 1)",
        "delay in (select 1)",
        "sum(delay) > 5",
        "mad(delay) > 5",
        "count(*) > 5",
        "row_number() over () > 5",
        "delay > ?",
        "unnest(seats) > 5",
    ],
)
def test_what_is_not_a_matter_of_one_combination_is_an_error(where):
    with pytest.raises(ParameterError, match="hold for one combination of rows"):
        analyzed(where=where)


@pytest.mark.parametrize("where", ["random() < 0.5", "at < now()", "at < current_timestamp", "delay > random() * 2"])
def test_what_differs_from_run_to_run_is_an_error(where):
    with pytest.raises(ParameterError, match="give the same answer every time"):
        analyzed(where=where)


# functions


def test_a_function_gets_the_streams_that_its_parameters_name():
    assert (1, 0) == analyzed(where=lambda scats, bus: None).function.streams
    assert (1,) == analyzed(where=lambda scats: None).function.streams


@pytest.mark.parametrize("function", [lambda a, b: None, lambda *tables: None, lambda a, b, most=5: None, max])
def test_a_function_with_other_parameters_gets_all_streams_in_order(function):
    assert (0, 1) == analyzed(where=function).function.streams


@pytest.mark.parametrize("function", [lambda: None, lambda a: None, lambda a, bus: None, lambda a, b, c: None])
def test_a_function_whose_parameters_cannot_be_told_is_an_error(function):
    with pytest.raises(ParameterError, match="write lambda bus, scats"):
        analyzed(where=function)


def test_where_something_else_is_an_error():
    with pytest.raises(ParameterError, match="where must be a text, a function or None, got 5"):
        analyzed(where=5)


def test_nanoseconds_with_a_time_zone_are_subtracted_after_a_cast_that_the_error_names():
    schema = pa.schema([("t", pa.timestamp("ns", tz="Asia/Tokyo"))])
    streams = [("a", schema), ("b", schema)]
    with pytest.raises(ParameterError, match=r"CAST\(a.t AS TIMESTAMPTZ\), CAST\(b.t AS TIMESTAMPTZ\)"):
        analyze_condition(None, "a.t - b.t < interval 1 second", streams)
    cast = "CAST(a.t AS TIMESTAMPTZ) - CAST(b.t AS TIMESTAMPTZ) < interval 1 second"
    assert 1 == len(analyze_condition(None, cast, streams).residuals)
