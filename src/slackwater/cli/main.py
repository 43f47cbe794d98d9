"""The command `slackwater`: it finds the command asked for, and says errors in one line."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from slackwater.cli.advise import advise
from slackwater.cli.audit import audit
from slackwater.cli.bench import bench
from slackwater.cli.chaos import chaos
from slackwater.cli.contract import contract
from slackwater.cli.dashboard import dashboard
from slackwater.cli.demo.command import demo
from slackwater.cli.drain import drain
from slackwater.cli.experiment import experiment
from slackwater.cli.load import load, soak
from slackwater.cli.prepare.command import prepare
from slackwater.cli.prod import prod
from slackwater.cli.profile import profile
from slackwater.cli.replay import replay
from slackwater.cli.report import report
from slackwater.cli.rescale import rescale
from slackwater.cli.run import run
from slackwater.cli.simulate import simulate
from slackwater.errors import SlackwaterError

INTERRUPTED = 130  # what shells expect of a program that Ctrl-C ended


class PoliteGroup(TyperGroup):
    """Commands whose own errors end in a red line on stderr, not in a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a SlackwaterError gives exit code 1, as does a pipe that nobody reads, Ctrl-C gives 130."""
        try:
            return super().invoke(ctx)
        except SlackwaterError as error:
            typer.secho(f"slackwater: {error}", fg=typer.colors.RED, err=True)
            raise typer.Exit(1) from error
        except BrokenPipeError:
            raise  # whoever read our output has seen enough, as in `| head`: click ends without a word
        except OSError as error:
            typer.secho(f"slackwater: {error}; choose another folder", fg=typer.colors.RED, err=True)
            raise typer.Exit(1) from error
        except KeyboardInterrupt as interrupt:
            typer.secho("slackwater: stopped", fg=typer.colors.YELLOW, err=True)
            raise typer.Exit(INTERRUPTED) from interrupt


app = typer.Typer(
    cls=PoliteGroup, no_args_is_help=True, add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False
)
app.command()(demo)
app.command()(prepare)
app.command()(profile)
app.command()(advise)
app.command()(run)
app.command()(replay)
app.command()(experiment)
app.command()(report)
app.command()(bench)
app.command()(dashboard)
app.command()(audit)
app.command()(prod)
app.command()(contract)
app.command()(drain)
app.command()(rescale)
app.command()(simulate)
app.command()(chaos)
app.command()(load)
app.command()(soak)


def _show_version(wanted: bool) -> None:
    if wanted:
        from slackwater import __version__

        typer.echo(f"slackwater {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Say how good the answer must be; slackwater decides how long to wait.

    Example:  slackwater demo --output demo-output
    """


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
