"""`python -m tests.simulation --seeds 1000`, for where the command `slackwater` is not at hand."""

from __future__ import annotations

import typer

from slackwater.cli.simulate import simulate

if __name__ == "__main__":
    typer.run(simulate)
