"""What is asked of a command of the repository: something that there is, or an error that says what there is."""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.errors import ParameterError
from slackwater.wording import did_you_mean


def check_among(parameter: str, asked: Sequence[str], known: Sequence[str]) -> None:
    """Raise ParameterError for a word that is none of those that are known."""
    for name in asked:
        if name not in known:
            remedy = f"{did_you_mean(name, known)}there are: {', '.join(known)}"
            raise ParameterError(parameter, name, must="be one that there is", remedy=remedy)
