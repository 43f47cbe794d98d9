"""The server: one page, one document of data, three things to ask for. It serves no file, whatever is asked."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from slackwater.board.access import COOKIE, Access
from slackwater.board.asked import ask
from slackwater.board.page import page_of
from slackwater.board.shown import shown
from slackwater.board.watched import Watched
from slackwater.errors import SlackwaterError

_MOST_BYTES = 4096  # of what is posted
_PATIENCE = 15.0  # seconds that a connection may be silent
_MOST_AT_ONCE = 32
_MOST_DIGITS = 6  # of the number of a query


class BoardServer(ThreadingHTTPServer):
    """Serves the page of some queries; threads end with the process."""

    daemon_threads = True
    request_queue_size = 16

    def __init__(self, address: tuple[str, int], watched: Sequence[Watched], access: Access) -> None:
        self.watched, self.access = tuple(watched), access
        self.busy = threading.BoundedSemaphore(_MOST_AT_ONCE)
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, BoardHandler)

    @property
    def url(self) -> str:
        """Where the page is; without the token."""
        host, port = self.server_address[0], self.server_address[1]
        name = str(host)
        return f"http://{f'[{name}]' if ':' in name else name}:{port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of connections that break."""


class BoardHandler(BaseHTTPRequestHandler):
    """Answers one connection."""

    server: BoardServer
    server_version, sys_version = "slackwater", ""
    timeout = _PATIENCE

    def do_GET(self) -> None:
        """Give the page, or the data of a query."""
        with self.server.busy:
            self._get()

    def do_POST(self) -> None:
        """Ask something of a query."""
        with self.server.busy:
            self._post()

    def _get(self) -> None:
        path, given = self._asked_for()
        token = given["token"][0] if "token" in given else None
        if not self._is_allowed(token if path == "/" else None):
            return
        if path == "/" and token is not None:
            self._keep_token()
        elif path == "/":
            names = [str(shown(each.query.name)) for each in self.server.watched]
            page, policy = page_of(names, self.server.access.page_secret)
            self._answer(HTTPStatus.OK, page, "text/html; charset=utf-8", policy)
        elif path == "/data" and (watched := self._query(given)) is not None:
            self._answer_json(HTTPStatus.OK, watched.look())
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing else here than / and /data")

    def _post(self) -> None:
        path, given = self._asked_for()
        if not self._is_allowed():
            return
        if not self.server.access.may_change(self.headers):  # type: ignore[arg-type]
            self._refuse(HTTPStatus.FORBIDDEN, "only the page itself may ask for changes: load it again")
            return
        watched, details = self._query(given), self._posted()
        if details is None:
            self._refuse(HTTPStatus.BAD_REQUEST, f"what is posted must be a JSON object of at most {_MOST_BYTES} bytes")
        elif watched is None:
            self._refuse(HTTPStatus.NOT_FOUND, "no such query")
        else:
            self._ask(watched, path.removeprefix("/"), details)

    def _ask(self, watched: Watched, what: str, details: dict[str, Any]) -> None:
        try:
            self._answer_json(HTTPStatus.OK, {"said": shown(ask(watched.query, what, details), 1_000)})
        except SlackwaterError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(shown(error, 1_000)))
        except OSError as error:
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, f"the control folder cannot be written: {error.strerror}")

    def _asked_for(self) -> tuple[str, dict[str, list[str]]]:
        try:
            parts = urlsplit(self.path)
            return parts.path, parse_qs(parts.query, max_num_fields=8)
        except ValueError:
            return "", {}

    def _is_allowed(self, token: str | None = None) -> bool:
        access = self.server.access
        if not access.is_ours(self.headers):  # type: ignore[arg-type]
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "use localhost or 127.0.0.1")
            return False
        if not access.knows_token(self.headers, token):  # type: ignore[arg-type]
            self._refuse(HTTPStatus.UNAUTHORIZED, "open the address with ?token= and the token of the dashboard")
            return False
        return True

    def _query(self, given: dict[str, list[str]]) -> Watched | None:
        number = (given.get("query") or ["0"])[0]
        is_number = number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS
        return self.server.watched[int(number)] if is_number and int(number) < len(self.server.watched) else None

    def _posted(self) -> dict[str, Any] | None:
        try:
            length = int(self.headers.get("Content-Length", ""))
            found = json.loads(self.rfile.read(length)) if 0 < length <= _MOST_BYTES else None
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    def _keep_token(self) -> None:
        """Let the browser remember the token, and take it out of the address."""
        self.send_response(HTTPStatus.SEE_OTHER)
        self.send_header("Set-Cookie", f"{COOKIE}={self.server.access.token}; HttpOnly; SameSite=Strict; Path=/")
        self.send_header("Location", "/")
        self._end(b"")

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self.close_connection = True
        self._answer_json(status, {"error": why})

    def _answer_json(self, status: HTTPStatus, values: dict[str, Any]) -> None:
        self._answer(status, json.dumps(values, allow_nan=False), "application/json")

    def _answer(self, status: HTTPStatus, text: str, kind: str, policy: str = "default-src 'none'") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", policy)
        self._end(text.encode())

    def _end(self, body: bytes) -> None:
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Be quiet: what is asked for may have come from anybody."""
