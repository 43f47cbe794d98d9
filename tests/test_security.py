"""The claims of SECURITY.md that are not tested where the code is."""

from __future__ import annotations

import ast
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ParameterError
from slackwater.plan.duck import evaluated, holds
from slackwater.report.page import Section, section_of
from slackwater.sql.yaml_form import read_yaml

ROOT = Path(sw.__file__).parent
READS_PICKLES = {"pickle", "cloudpickle", "marshal", "shelve", "dill", "joblib"}
RUNS = {"eval", "exec", "__import__"}
STARTS = {"os.system", "os.popen", "os.spawnv", "os.execv", "os.posix_spawn", "Popen", "check_output", "check_call"}


def nodes(kind: type[ast.AST]):
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, kind):
                yield str(path.relative_to(ROOT)), node


def called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def test_pickles_are_used_for_the_plan_on_its_way_to_workers_alone():
    plain = {(file, each.name) for file, node in nodes(ast.Import) for each in node.names}
    named = {(file, each.name) for file, node in nodes(ast.ImportFrom) for each in node.names}
    modules = {(file, node.module) for file, node in nodes(ast.ImportFrom)}
    found = {file for file, name in plain | named | modules if (name or "").split(".")[0] in READS_PICKLES}
    assert {"spark/shell.py", "testing/controller_laws.py"} == found  # the second is a law that tests check


def test_source_is_run_in_one_place_alone():
    assert {"pipeline/kernels.py"} == {file for file, node in nodes(ast.Call) if called(node) in RUNS}


def test_programs_are_started_without_a_shell():
    names = ((file, called(node), node) for file, node in nodes(ast.Call))
    found = [(file, node) for file, name, node in names if "subprocess" in name or name in STARTS]
    assert ["cli/prepare/archive.py", "spark/session.py", "testing/kafka_broker.py"] == sorted(
        {file for file, _ in found}
    )
    assert not [word for _, node in found for word in node.keywords if word.arg == "shell"]


def test_yaml_is_only_read_by_the_safe_loader():
    names = {called(node) for _, node in nodes(ast.Call) if called(node).startswith("yaml.")}
    assert {"yaml.safe_load", "yaml.safe_load_all"} == names


def test_arrays_are_loaded_without_pickles():
    loads = [node for _, node in nodes(ast.Call) if called(node) == "np.load"]
    assert ["allow_pickle=False"] == [ast.unparse(word).replace(" ", "") for node in loads for word in node.keywords]


def test_yaml_cannot_make_python_objects(tmp_path):
    with pytest.raises(sw.SqlError):
        read_yaml(f"streams: !!python/object/apply:os.mkdir ['{tmp_path}/made']")
    assert [] == list(tmp_path.iterdir())


FILES = ["(SELECT count(*) FROM read_csv('/etc/passwd')) > 0", "(SELECT content FROM read_text('/etc/hostname')) <> ''"]


@pytest.mark.parametrize("expression", FILES)
def test_expressions_cannot_read_files(expression):
    with pytest.raises(duckdb.Error, match=r"disabled|Permission"):
        evaluated([expression], pa.table({"c0": [1]}))


def test_files_cannot_be_allowed_again():
    with pytest.raises(duckdb.Error):
        holds("c0 IN (SELECT 1); SET enable_external_access = true; SELECT (true", pa.table({"c0": [1]}))
    with pytest.raises(duckdb.Error):
        evaluated(FILES[:1], pa.table({"c0": [1]}))


def joined(where: str, **columns: list):
    left = sw.stream(pa.table({"ts": [1, 2], **columns}), name="a", event_time="ts", unit="s")
    right = sw.stream(pa.table({"ts": [1, 2], "y": [1, 9]}), name="b", event_time="ts", unit="s")
    return sw.join(left, right, where=where, within="5 seconds", contract=sw.NoSlack()).results


NONE = ["a.x > __import__('os').getpid()", "a.x > (SELECT 1)", "a.x > 1; DROP TABLE columns"]


@pytest.mark.parametrize("where", NONE)
def test_a_condition_that_is_no_condition_is_refused(where):
    with pytest.raises(ParameterError):
        joined(where, x=[5, 6])


NAME = "x); __import__('os').abort(); ("


def test_the_name_of_a_column_never_becomes_source():
    assert 2 == joined(f'a."{NAME}" > b.y', **{NAME: [5, 6]}).num_rows


def test_a_text_of_the_data_never_becomes_source():
    hostile = ["'); DROP TABLE columns; --", "__import__('os').abort()"]
    assert 2 == joined("a.x <> '' AND b.y > 1", x=hostile).num_rows


def test_reports_escape_what_data_says():
    page = section_of(Section("<script>alert(1)</script>", "<b>", "<p>ours</p>"))
    assert "<script>alert" not in page
    assert "<b>" not in page
