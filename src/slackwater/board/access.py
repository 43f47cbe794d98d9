"""Who may ask: programs on this machine, or those who know the token; and only a page of ours may change anything.

A browser that visits another site can be made to send requests here. So what is asked by `POST` needs a secret that
only our page has, and must not come from elsewhere; and names that merely point to this machine are not ours.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from slackwater.errors import ParameterError

COOKIE = "slackwater"
PAGE_SECRET = "X-Slackwater-Page"
_SHORTEST_TOKEN = 16


@dataclass(frozen=True)
class Access:
    """What a request must bring along."""

    host: str
    token: str | None = None
    page_secret: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    def __post_init__(self) -> None:
        """Refuse to be open to others without a token."""
        if self.token is not None and len(self.token) < _SHORTEST_TOKEN:
            remedy = f"such as {secrets.token_urlsafe(18)}"
            raise ParameterError("token", "***", must=f"have at least {_SHORTEST_TOKEN} letters", remedy=remedy)
        if self.token is not None and not (self.token.isascii() and self.token.isprintable() and " " not in self.token):
            raise ParameterError("token", "***", must="be plain letters and digits", remedy="without spaces")
        if self.token is None and not is_loopback(self.host):
            raise ParameterError(
                "host",
                self.host,
                must="be this machine unless there is a token",
                remedy="add --token, 16 letters",
            )

    def knows_token(self, headers: Mapping[str, str], given: str | None = None) -> bool:
        """Whether a request brings the token: as a cookie, as a bearer, or `given` with the address of the page."""
        if self.token is None:
            return True
        bearer = headers.get("Authorization", "")
        found = [given, _cookie(headers.get("Cookie", "")), bearer.removeprefix("Bearer ") if bearer else None]
        return any(same(each, self.token) for each in found if each is not None)

    def is_ours(self, headers: Mapping[str, str]) -> bool:
        """Whether a request names this machine by a name of its own: others may point to it too (DNS rebinding)."""
        return self.token is not None or is_loopback(_name(headers.get("Host", "")))

    def may_change(self, headers: Mapping[str, str]) -> bool:
        """Whether a request comes from our page: it knows the page's secret, and no browser says otherwise."""
        origin = headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != headers.get("Host", ""):
            return False
        if headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            return False
        return same(headers.get(PAGE_SECRET, ""), self.page_secret)


def same(given: str, expected: str) -> bool:
    """Compare secrets, in a time that tells nothing about them.

    >>> same("abc", "abc"), same("abd", "abc"), same("ä", "abc")
    (True, False, False)
    """
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), expected.encode())


def is_loopback(host: str) -> bool:
    """Whether a host is this machine as seen from itself.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    """Return the host without its port.

    >>> _name("localhost:8400"), _name("[::1]:8400"), _name("evil.example@localhost:1")
    ('localhost', '::1', '')
    """
    if "@" in host or "/" in host:
        return ""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _cookie(header: str) -> str | None:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value
