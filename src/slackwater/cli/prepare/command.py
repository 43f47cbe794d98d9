"""The command `prepare`: makes sessions start sooner, once for an environment."""

from __future__ import annotations

import typer


def prepare() -> None:
    """Compile kernels and archive Spark's classes, so that sessions start in half the time: once for an environment.

    For a container image: a line of its build. Without it everything runs, and the first query compiles what it needs.

    Example:  slackwater prepare
    """
    from slackwater.cli.prepare.archive import prepare as run

    archive = run(lambda words: typer.echo(f"slackwater: {words}", err=True))
    typer.echo(f"ready: {archive} ({archive.stat().st_size / 1e6:.0f} MB); sw.session() uses it")
