"""What is wrong is shown at its place, with what was probably meant."""

from __future__ import annotations

import pytest

import slackwater as sw

BOTH = "bus [5 s], scats [5 s]"
LAST = "WINDOW [RANGE 9 s, SLIDE 9 s]"
WRONG = [
    ("SELEC * FROM bus", "SELEC", "did you mean SELECT?"),
    ("SELECT * FORM bus", "FORM", "did you mean FROM?"),
    ("SELECT * FROM buss WITH NO SLACK", "buss", "did you mean bus?"),
    ("SELECT * FROM bus [5 secnds], scats [5 s]", "secnds", "did you mean seconds?"),
    ("SELECT * FROM bus WTIH NO SLACK", "WTIH", "did you mean WITH?"),
    ("SELECT * FROM bus WITH RECAL 0.9", "RECAL", "did you mean RECALL?"),
    ("SELECT * FROM bus WITH RECALL 0.9 LATENCY 5 s", "LATENCY", "it may have OVER, EVERY, CAP, BY"),
    ("SELECT * FROM bus WITH RECALL 0.9 OVER 1 s OVER 2 s", "OVER", ""),
    ("SELECT * FROM bus WITH RECALL 1.5", "RECALL 1.5", "0.99 lets one result in 100 go missing"),
    ("SELECT dealy FROM bus WITH NO SLACK", "dealy", "did you mean delay?"),
    ("SELECT uper(area) FROM bus WITH NO SLACK", "uper", "did you mean upper?"),
    ("SELECT a b FROM bus WITH NO SLACK", "b", "a name for a column is written after AS"),
    ("SELECT area + delay FROM bus WITH NO SLACK", "area + delay", ""),
    ("SELECT line, line FROM bus WITH NO SLACK", "line", "give one another name with AS"),
    ("SELECT line, max(delay) FROM bus [5 s, SLIDE 5 s] WITH NO SLACK", "line", "write GROUP BY line"),
    ("SELECT max(delay) FROM bus WITH NO SLACK", "max(delay)", "RANGE 30 SECONDS"),
    ("SELECT median(delay) FROM bus [5 s, SLIDE 5 s] WITH NO SLACK", "median(delay)", "there are: count"),
    ("SELECT * FROM bus, scats [5 s] WITH NO SLACK", "bus", "FROM MERGE"),
    ("SELECT * FROM bus [5 s], bus [5 s] WITH NO SLACK", "bus [5 s]", "write AS and another name"),
    ("SELECT * FROM bus KEEP 5 s, scats [5 s] WITH NO SLACK", "scats [5 s]", "write one of them"),
    ("SELECT * FROM bus ORDER BY line", "ORDER", "results leave in event-time order already"),
    ("SELECT DISTINCT line FROM bus WITH NO SLACK", "DISTINCT", "GROUP BY the columns"),
    ("SELECT * FROM bus [5 s] JOIN scats [5 s] ON bus.line = scats.line", "JOIN", "there are no outer joins"),
    ("SELECT * FROM bus LEFT JOIN scats ON bus.line = scats.line", "LEFT", "joins are FROM"),
    ("SELECT * FROM bus WITH NO SLACK EARLY 25%", "EARLY 25%", "it is for: aggregate"),
    ("SELECT * FROM bus WITH RECALL 0.9 AND DROP 1%", "DROP 1%", "RECALL 0.99 AND DEADLINE 5 seconds"),
    ("SELECT max(delay) FROM bus [5 s, SLIDE 5 s] GROUP BY lin WITH NO SLACK", "lin", "did you mean line?"),
    ("SELECT max(delay) FROM bus [5 s, SLIDE 5 s] WITH NO SLACK BUCKETS 4", "BUCKETS 4", "GROUP BY key"),
    ("SELECT * FROM bus BUCKETS 4 WITH NO SLACK", "BUCKETS 4", "PARTITION BY"),
    ("SELECT line FROM bus WITHIN ERROR 3%", "WITHIN ERROR 3%", "use DROP here"),
    ("SELECT * FROM MERGE(bus, scats) WITH RECALL 0.99", "WITH RECALL 0.99", "DROP 0.01 lets the same share"),
    ("SELECT * FROM bus PARTITION BY lne WITH NO SLACK", "lne", "line"),
    ("SELECT * FROM bus [5 s], scats [5 s] WITH NO SLACK GROUP BY line", "GROUP BY line", "write WINDOW [RANGE"),
    ("SELECT count(*) FROM bus [5 s], scats [5 s] WITH NO SLACK", "count(*)", "write one for what the join finds"),
    (f"SELECT count(*) FROM {BOTH} WINDOW [9 s] WITH NO SLACK", "WINDOW [9 s]", "SLIDE 10 SECONDS"),
    (f"SELECT count(*) FROM {BOTH} WINDOW [9 s, SLIDE 20 s] WITH NO SLACK", "WINDOW [9 s, SLIDE 20 s]", "slide"),
    (f"SELECT count(*) FROM {BOTH} WINDOW [9 s, DRATIO 1%] WITH NO SLACK", "[9 s, DRATIO 1%]", "WITH DROP 1%"),
    (f"SELECT area, count(*) FROM {BOTH} {LAST} WITH NO SLACK", "area", "write bus.area or scats.area"),
    (f"SELECT bus.area, count(*) FROM {BOTH} {LAST} WITH NO SLACK", "bus.area", "write GROUP BY bus.area"),
    (f"SELECT max(delay * flow) FROM {BOTH} {LAST} WITH NO SLACK", "max(delay * flow)", "INTO a sink"),
    (f"SELECT count(*) FROM MERGE(bus, scats) WHERE stream = 'bus' {LAST} WITH NO SLACK", "stream = 'bus'", "GROUP BY"),
    ("SELECT * FROM MERGE(bus [5 s], scats) WITH NO SLACK", "bus [5 s]", "MERGE(bus, scats) WINDOW"),
    (f"SELECT count(*) FROM (SELECT * FROM {BOTH}) [9 s, SLIDE 9 s] WITH NO SLACK", "WITH NO SLACK", "before the )"),
    (f"SELECT max(x) FROM (SELECT delay FROM {BOTH} WITH NO SLACK) [9 s, SLIDE 9 s]", "x", "are: delay"),
    (f"SELECT max(delay) FROM (SELECT * INTO o FROM {BOTH}) [9 s, SLIDE 9 s]", "INTO o", "after the closing bracket"),
    (f"SELECT * FROM bus [5 s], (SELECT * FROM {BOTH}) [5 s]", f"(SELECT * FROM {BOTH}) [5 s]", "INTO sinks"),
    ("SELECT count(*) FROM (SELECT * FROM bus WTIH NO SLACK) [9 s, SLIDE 9 s]", "WTIH", "did you mean WITH?"),
    ("SELECT count(*) FROM (SELECT * FROM bus WITH NO SLACK; ) [9 s, SLIDE 9 s]", ";", "expected a clause or ')'"),
    (
        "SELECT count(*) FROM (SELECT * FROM bus WITH NO SLACK) [9 s, SLIDE 9 s]",
        "(SELECT * FROM bus WITH NO SLACK) [9 s, SLIDE 9 s]",
        "write the window after the stream",
    ),
    ("SELECT max(delay) FROM bus [5 s, SLIDE 10 s] WITH NO SLACK", "bus [5 s, SLIDE 10 s]", ""),
    (
        "SELECT max(delay) AS m FROM bus [5 s, SLIDE 5 s] WITHIN ERROR 3% OF x",
        "WITHIN ERROR 3% OF x",
        "those that are: m",
    ),
    ("SELECT * INTO out FROM bus WITH NO SLACK", "INTO out", "sinks are for slackwater run"),
    ("SELECT * FROM bus WITH NO SLACK LATE TO elsewhere", "LATE TO elsewhere", "sinks are for slackwater run"),
    ("SELECT max(delay) FROM bus KEEP 5 s SLIDE 5 s WITH NO SLACK", "bus KEEP 5 s", "write RANGE"),
    ("SELECT count(*) FROM bus [5 s, SLIDE 10 s] WITH NO SLACK", "bus [5 s, SLIDE 10 s]", "SLIDE equal to the RANGE"),
    ("SELECT * FROM bus [RANGE 5 s] b, scats [5 s] WITH NO SLACK", "b", "write bus AS b [RANGE 5 s]"),
    ("SELECT * FROM bus KEEP 5 s AS b, scats KEEP 5 s WITH NO SLACK", "AS b", "write bus AS b KEEP 5 s"),
    ("SELECT * FROM bus [5 s] WTIH NO SLACK", "WTIH", "did you mean WITH?"),
    ("SELECT * FROM bus [RANGE 0 SECONDS] WITH NO SLACK", "[RANGE 0 SECONDS]", "longer than nothing"),
    ("SELECT * FROM bus KEEP 0 SECONDS WITH NO SLACK", "KEEP 0 SECONDS", "longer than nothing"),
    ("SELECT * FROM bus [SLIDE 5 SECONDS] WITH NO SLACK", "[SLIDE 5 SECONDS]", "needs its size"),
    ("SELECT * FROM bus [RANGE -30 SECONDS] WITH NO SLACK", "-", "leave the sign out: 30 SECONDS"),
    ("SELECT * FROM bus [RANGE half an hour] WITH NO SLACK", "half", "such as 30 MINUTES"),
    ("SELECT * FROM bus WITH SLACK -30 s", "-", "leave the sign out: 30 s"),
    ("SELECT * FROM bus [1 MONTH], scats [5 s] WITH NO SLACK", "MONTH", "months and years have no fixed length"),
    (
        "SELECT * FROM bus [1 fortnight], scats [5 s] WITH NO SLACK",
        "fortnight",
        "units are: us, ms, s, min, h, d, week",
    ),
    ("SELECT sum(dely) FROM bus [5 s, SLIDE 5 s] WITH NO SLACK", "dely", "column 'dely' does not exist"),
    ("SELECT 1 + sum(delay * bus.dely) FROM bus [5 s, SLIDE 5 s] WITH NO SLACK", "bus.dely", "did you mean delay?"),
    (f"SELECT sum(dely) FROM {BOTH} {LAST} WITH NO SLACK", "dely", "column 'dely' does not exist"),
    (f"SELECT * FROM {BOTH} WHERE dely = 1 WITH NO SLACK", "dely", "column 'dely' does not exist"),
    ("SELECT max(max) FROM bus [5 s, SLIDE 5 s] WITH NO SLACK", "max", "column 'max' does not exist"),
    ("SELECT 'abc FROM bus", "'abc FROM bus", "close it with '"),
    ("SELECT * FROM bus LATE TOO side", "TOO", "did you mean TO?"),
    ("SELECT * FROM bus; SELECT * FROM bus", "SELECT", "slackwater run"),
    ("SELECT * FROM bus WHERE (delay > 5 WITH NO SLACK", "WITH", ""),
    ("SELECT * FROM bus [5 s], scats [5 s] WHERE bus.aera = scats.area WITH NO SLACK", "bus.aera", "area"),
]


def refusal(text, streams) -> sw.SqlError:
    with pytest.raises(sw.SqlError) as caught:
        sw.sql(text, **streams)
    return caught.value


@pytest.mark.parametrize(("text", "place", "remedy"), WRONG, ids=[text for text, *_ in WRONG])
def test_the_place_is_that_of_the_mistake(text, place, remedy, fuzz_streams):
    error = refusal(text, fuzz_streams)
    assert place == text[error.start : error.stop]
    assert remedy in str(error)


def test_the_caret_is_under_the_word_in_its_line(fuzz_streams):
    error = refusal("SELECT *\n  FROM bus [5 secnds], scats [5 s]\n  WITH NO SLACK", fuzz_streams)
    shown = str(error).splitlines()
    assert (2, 15) == (error.line, error.column)
    assert ["    FROM bus [5 secnds], scats [5 s]", "                ^^^^^^"] == shown[1:3]


def test_of_a_long_line_what_is_around_the_place_is_shown(fuzz_streams):
    error = refusal(f"SELECT {'delay + ' * 1000}1 FROM bus WTIH NO SLACK", fuzz_streams)
    _, shown, caret, _ = str(error).splitlines()
    assert len(shown) <= 202
    assert "WTIH" == shown[caret.index("^") : caret.rindex("^") + 1]


def test_a_query_without_a_contract_is_shown_what_contracts_there_are(fuzz_streams):
    error = refusal("SELECT * FROM bus", fuzz_streams)
    assert "WITH RECALL 0.99 OVER 1 MINUTE" in str(error)


def test_a_contract_of_the_call_holds_where_the_text_has_none(fuzz_streams):
    output = sw.sql("SELECT * FROM bus", contract=sw.FixedSlack("1 second"), **fuzz_streams)
    assert sw.FixedSlack("1 second") == output.plan.node.contract


def test_the_contract_of_the_text_goes_before_that_of_the_call(fuzz_streams):
    output = sw.sql("SELECT * FROM bus WITH NO SLACK", contract=sw.FixedSlack("1 second"), **fuzz_streams)
    assert sw.NoSlack() == output.plan.node.contract


def test_a_function_of_spark_is_named_as_such_in_process(fuzz_streams):
    assert "xxhash64 is a function of Spark" in str(
        refusal("SELECT xxhash64(line) FROM bus WITH NO SLACK", fuzz_streams)
    )


def test_a_frame_that_is_no_stream_is_refused_with_the_call_that_makes_one():
    assert 'bus=sw.stream(frame, event_time="ts")' in str(
        refusal("SELECT * FROM bus WITH NO SLACK", {"bus": {"ts": [1]}})
    )


def test_control_characters_of_a_text_are_not_sent_to_the_terminal(fuzz_streams):
    assert "\x1b" not in str(refusal("SELECT \x1b[31m FROM bus", fuzz_streams))


def test_a_slide_that_times_are_no_multiples_of_is_refused(fuzz_streams):
    error = refusal("SELECT * FROM bus KEEP 5 s, scats KEEP 5 s SLIDE 2 s WITH NO SLACK", fuzz_streams)
    assert "windows of a join move with every event" in str(error)


def test_the_caret_is_under_the_column_and_not_under_a_function_of_its_name(fuzz_streams):
    text = "SELECT max(max) FROM bus [5 s, SLIDE 5 s] WITH NO SLACK"
    assert text.index("max)") == refusal(text, fuzz_streams).start


def test_remedies_speak_no_python(fuzz_streams):
    assert "timedelta" not in str(refusal("SELECT * FROM bus WITH SLACK 0.0000001 s", fuzz_streams))
