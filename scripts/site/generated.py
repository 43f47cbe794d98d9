"""Pages of the site that are made when it is built: the command line, the examples, the notebook."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from typer.testing import CliRunner

from slackwater.cli.main import app

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages; MkDocs calls this by its name."""
    for name, text in PAGES.items():
        files.append(File.generated(config, name, content="\n".join(text())))
    return files


def command_line() -> Iterator[str]:
    """Yield what every command says about itself."""
    yield "# Command line\n\nWhat `slackwater --help` and the `--help` of each command say.\n"
    commands: list[Any] = app.registered_commands
    for name in ("", *sorted(command.name or command.callback.__name__ for command in commands)):
        asked = [*name.split(), "--help"]
        said = CliRunner().invoke(app, asked, prog_name="slackwater", env={"COLUMNS": "100", "TERM": "dumb"})
        yield f"## slackwater {name}\n\n```text\n{_plain(said.stdout)}\n```\n"


def examples() -> Iterator[str]:
    """Yield every example with what it prints."""
    yield "# Examples\n\nEach runs as it is (`python examples/...`, `slackwater run examples/...`), and prints what is"
    yield "shown: a test compares. There is also a [notebook](notebook.md).\n"
    for path in sorted((*EXAMPLES.rglob("*.py"), *EXAMPLES.rglob("*.sql"))):
        code = path.read_text(encoding="utf-8")
        language, about = "sql", ""
        if path.suffix == ".py":
            language, about = "python", ast.get_docstring(ast.parse(code)) or ""
            code = code.partition('"""')[2].partition('"""')[2].lstrip() if about else code
        yield f"## {path.relative_to(EXAMPLES)}\n\n{about}\n\n```{language}\n{code}```\n"
        printed = path.with_suffix(".out")
        if printed.exists():
            yield f"prints\n\n```text\n{printed.read_text(encoding='utf-8')}```\n"


def notebook() -> Iterator[str]:
    """Yield the cells of the notebook, and what they print."""
    for cell in json.loads((EXAMPLES / "phones.ipynb").read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        yield source + "\n" if cell["cell_type"] == "markdown" else f"```python\n{source}\n```\n"
        for output in cell.get("outputs", ()):
            yield f"```text\n{''.join(output['text'])}```\n"


def _plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "reference/cli.md": command_line,
    "examples.md": examples,
    "notebook.md": notebook,
}
