"""The code to paste: the contract, and the operator around it, in process and on Spark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from slackwater.contracts import Contract, FixedSlack, PerPeriod
from slackwater.time import Duration

_READERS = {".parquet": ("pyarrow.parquet", "read_table"), ".csv": ("pyarrow.csv", "read_csv")}
_JSON = ("pyarrow.json", "read_json")
_DEFAULT_INTERVAL = Duration.of("1 second")


@dataclass(frozen=True, kw_only=True)
class Source:
    """One stream as code reads it: files, or a frame that the user has under this name."""

    name: str
    event_time: str
    unit: str | None = None
    arrival: str | None = None
    files: tuple[str, ...] = ()
    parse: bool = False

    def stream_of(self, frame: str, *, trusting: bool = False) -> str:
        """Return the call that says what the columns mean."""
        options = [f"name={self.name!r}", f"event_time={self.event_time!r}"]
        options += [f"{key}={value!r}" for key, value in (("unit", self.unit), ("arrival", self.arrival)) if value]
        options += ["max_ahead=None"] if trusting else []
        return f"sw.stream({frame}, {', '.join(options)})".replace("'", '"')


@dataclass(frozen=True, kw_only=True)
class Query:
    """The operator: a reorder, or a join if it has a window."""

    sources: Sequence[Source]
    contract: str
    within: str | None = None
    on: str | list[str] | None = None
    where: str | None = None
    options: tuple[str, ...] = field(default=())

    def call(self) -> str:
        """Return the call of the operator over variables called as the streams."""
        if self.within is None:
            return f"sw.reorder({self.sources[0].name}, contract={self.contract})"
        names = ", ".join(each.name for each in self.sources)
        given = {"on": self.on, "where": self.where, "within": self.within}
        options = [f"{key}={_literal(value)}" for key, value in given.items() if value is not None]
        return f"sw.join({names}, {', '.join(options)}, contract={self.contract})"


def contract_code(contract: Contract) -> str:
    """Return a contract as Python code.

    >>> from slackwater.contracts import DropRatio, MaxSlack
    >>> contract_code(DropRatio(0.005)), contract_code(MaxSlack(cap="10 seconds"))
    ('sw.DropRatio(0.005, over="1 minute")', 'sw.MaxSlack(cap="10 seconds")')
    """
    options = []
    if isinstance(contract, PerPeriod):
        options += [f"{contract.target:.10g}", f'over="{contract.period}"']
    if isinstance(contract, FixedSlack):
        options.append(f'"{contract.slack}"')
    if contract.longest_wait is not None:
        options.append(f'cap="{contract.longest_wait}"')
    if contract.interval != _DEFAULT_INTERVAL:
        options.append(f'adaptation_interval="{contract.interval}"')
    if contract.controller is not None:
        options.append(f"controller=sw.control.{contract.controller!r}")
    return f"sw.{type(contract).__name__}({', '.join(options)})"


def in_process(query: Query) -> str:
    """Return a program that reads the files and runs the operator in process."""
    imports, lines = {"import slackwater as sw"}, []
    for each in query.sources:
        frame = "frame" if len(query.sources) == 1 else f"{each.name}_frame"
        if each.files:
            reading, needs = _reading(each.files)
            imports |= needs
            lines.append(f"{frame} = {reading}")
        else:
            lines.append(f"# {frame} has your rows, in arrival order")
        if each.parse:
            imports.add("import pyarrow as pa")
            place = f"{frame}.column_names.index({_literal(each.event_time)})"
            cast = f'{frame}[{_literal(each.event_time)}].cast(pa.timestamp("us"))'
            lines.append(f"{frame} = {frame}.set_column({place}, {_literal(each.event_time)}, {cast})")
        lines.append(f"{each.name} = {each.stream_of(frame)}")
    lines += [f"out = {query.call()}", 'print(out.results.num_rows, "results,", out.late.num_rows, "late rows")']
    return "\n".join([*sorted(imports, key=_import_order), "", *lines]) + "\n"


def on_spark(query: Query) -> str:
    """Return a program that runs the operator as a Spark query."""
    lines = ["import slackwater as sw", "", "spark = sw.session()  # or your own"]
    for each in query.sources:
        frame = "frame" if len(query.sources) == 1 else f"{each.name}_frame"
        format_ = _spark_format(each.files)
        sample = each.files[0] if each.files else "sample.parquet"
        lines.append(f"schema = spark.read.{format_}({_literal(sample)}).schema")
        folder = f"incoming/{each.name}"
        lines.append(f"{frame} = spark.readStream.schema(schema).{format_}({_literal(folder)})  # your input")
        if each.parse:
            column = _literal(each.event_time)
            lines.append(f"{frame} = {frame}.withColumn({column}, {frame}[{column}].cast('timestamp'))")
        lines.append(f"{each.name} = {each.stream_of(frame)}")
    lines += [f"out = {query.call()}", "query = out.start("]
    lines += [f'    {name}="out/{name}",' for name in ("results", "late", "decisions", "checkpoint")]
    return "\n".join([*lines, ")"]) + "\n"


def _reading(files: Sequence[str]) -> tuple[str, set[str]]:
    parts, needs = [], set()
    for file in files:
        module, function = _READERS.get(Path(file).suffix.lower(), _JSON)
        alias = f"pa_{module.rpartition('.')[2]}"
        needs.add(f"import {module} as {alias}")
        parts.append(f"{alias}.{function}({_literal(file)})")
    if len(parts) == 1:
        return parts[0], needs
    return f"pa.concat_tables([{', '.join(parts)}])", needs | {"import pyarrow as pa"}


def _spark_format(files: Sequence[str]) -> str:
    suffix = Path(files[0]).suffix.lower() if files else ".parquet"
    return {".parquet": "parquet", ".csv": "csv"}.get(suffix, "json")


def _import_order(line: str) -> tuple[bool, str]:
    return line.endswith("as sw"), line


def _literal(value: object) -> str:
    """Return a value as code, with double quotes where that needs no escape."""
    text = repr(value)
    return text.replace("'", '"') if '"' not in text and "\\" not in text else text
