"""Every example of docs/SQL.md runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import slackwater as sw
from slackwater.sql.contracts import contract_of
from slackwater.sql.functions import LOCAL
from slackwater.sql.parser import parse_query
from slackwater.sql.pipeline import read_pipeline
from slackwater.sql.places import Places
from slackwater.sql.run import run
from slackwater.sql.yaml_form import read_yaml

PAGE = (Path(__file__).parents[2] / "docs" / "SQL.md").read_text(encoding="utf-8")
CSV = "ts,area,line,delay\n1,n,5,90\n4,s,7,10\n3,n,5,70\n9,n,7,20\n25,s,5,65\n"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture
def beside_a_csv(tmp_path, monkeypatch):
    (tmp_path / "bus.csv").write_text(CSV)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_lists_the_functions_that_there_are_in_process():
    listed = PAGE[PAGE.index("these functions give the same") : PAGE.index("A function that the engine does not have")]
    assert LOCAL == set(re.findall(r"[a-z_]+[0-9]*", listed)) & LOCAL | {"pow", "substr", "min", "max"}


def contracts() -> list[tuple[str, str]]:
    """Return the pairs of the table of contracts: a clause, and the call that it stands for."""
    table = PAGE[PAGE.index("## Contracts") : PAGE.index("## Other clauses")]
    pairs = []
    for left, right in re.findall(r"^\| (`.*?) \| (`.*?) \|$", table, flags=re.MULTILINE):
        pairs += zip(re.findall("`(.*?)`", left), re.findall("`(.*?)`", right), strict=True)
    return pairs


@pytest.mark.parametrize(("clause", "call"), contracts(), ids=[clause for clause, _ in contracts()])
def test_a_clause_of_the_page_is_the_contract_beside_it(clause, call):
    text = f"SELECT * FROM bus {clause}"
    assert eval(call, vars(sw)) == contract_of(parse_query(text), Places(text))


def test_the_python_of_the_page_prints_what_its_comments_say(capsys):
    code = "\n".join(blocks("python"))
    exec(compile(code, "SQL.md", "exec"), {})
    assert re.findall(r"print\(.*\)  # (.*)", code) == capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("text", [text for text in blocks("sql") if "CREATE" not in text])
def test_a_query_of_the_page_has_results(text, fuzz_streams):
    assert sw.sql(text, **fuzz_streams).results.num_rows > 0


@pytest.mark.parametrize("text", [text for text in blocks("sql") if "CREATE" in text])
def test_a_pipeline_of_the_page_runs(text, beside_a_csv):
    assert [5, 151] == [summary.arrived for summary in run(read_pipeline(text))]
    assert 3 == len((beside_a_csv / "out" / "worst.json").read_text().splitlines())


@pytest.mark.parametrize("text", blocks("yaml"))
def test_the_yaml_of_the_page_runs(text, beside_a_csv):
    assert [5, 5] == [summary.arrived for summary in run(read_yaml(text))]
    assert (beside_a_csv / "out" / "worst.parquet").exists()
