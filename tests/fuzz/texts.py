"""Targets that read text: SQL, contracts, YAML. What is accepted is printed and must be read back as the same."""

from __future__ import annotations

import zlib
from contextlib import suppress
from functools import cache

import pyarrow as pa

import slackwater as sw
from slackwater.contracts import Contract
from slackwater.errors import ParameterError, SlackwaterError, SqlError
from slackwater.plan.contract_text import contract_text, parse_contract
from slackwater.sql.parser import parse
from slackwater.sql.pipeline import pipeline_of
from slackwater.sql.printer import print_script
from slackwater.sql.yaml_form import read_yaml
from slackwater.time import Duration


@cache
def streams() -> dict[str, sw.Stream]:
    bus = pa.table({"ts": [1, 4, 3], "area": ["n", "s", "n"], "line": [5, 7, 5], "delay": [90, 10, 70]})
    scats = pa.table({"ts": [2, 5], "area": ["n", "s"], "flow": [500, 450]})
    return {
        "bus": sw.stream(bus, event_time="ts", unit="s"),
        "scats": sw.stream(scats, event_time="ts", unit="s"),
    }


def sql(data: bytes) -> None:
    """Read a text; of what is a query, one in eight is also bound to streams, but not run."""
    text = data.decode(errors="replace")
    if text.startswith("#yaml"):
        with suppress(SqlError):
            read_yaml(text)
        return
    try:
        script = parse(text)
    except SqlError as error:
        _check_place(error)
        return
    printed = print_script(script)
    assert printed == print_script(parse(printed)), "what is printed is read as something else"
    with suppress(SqlError):
        pipeline_of(script)
    if zlib.crc32(data) % 8:  # binding takes as long as reading twenty others
        return
    with suppress(SqlError):
        sw.sql(text, contract=sw.NoSlack(), **streams())


def _check_place(error: SqlError) -> None:
    assert f"line {error.line}, column {error.column}: " in str(error)


def contract(data: bytes) -> None:
    """Read a contract, or a duration."""
    text = data.decode(errors="replace")
    with suppress(ParameterError):
        span = Duration.of(text)
        assert span == Duration.of(str(span))
    try:
        found = parse_contract(text)
    except SlackwaterError:
        return
    assert isinstance(found, Contract)
    assert found == parse_contract(contract_text(found)), "what is printed is read as something else"
