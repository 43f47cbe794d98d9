"""The page itself: one document with its style and script, which loads nothing else."""

from __future__ import annotations

import html
import re
import secrets
from functools import cache
from importlib.resources import files

POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def page_of(names: list[str], secret: str) -> tuple[str, str]:
    """Return the page for some queries and the policy that it needs; the secret lets it ask for changes."""
    nonce = secrets.token_urlsafe(16)
    options = "".join(f'<option value="{place}">{html.escape(name)}</option>' for place, name in enumerate(names))
    filled = {
        "NONCE": nonce,
        "SECRET": html.escape(secret),
        "QUERIES": options,
        "STYLE": _asset("page.css"),
        "SCRIPT": "\n".join(map(_asset, ("draw.js", "page.js"))),
    }
    # in one pass: what is filled in may look like a place itself
    page = re.sub(r"\{\{([A-Z]+)\}\}", lambda place: filled[place[1]], _asset("page.html"))
    return page, POLICY.format(nonce=nonce)


@cache
def _asset(name: str) -> str:
    return (files("slackwater.board") / "assets" / name).read_text(encoding="utf-8")
