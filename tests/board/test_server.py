"""The server of the page: what it answers, to whom, and what it refuses."""

from __future__ import annotations

import http.client
import json
import re
import socket

import pytest

from slackwater.board.access import Access
from slackwater.board.dashboard import Dashboard
from slackwater.errors import ParameterError
from tests.board.builders import HOSTILE, Left

TOKEN = "a-token-of-many-letters"


class Visitor:
    """Asks a dashboard as a browser would, or as nobody should."""

    def __init__(self, board: Dashboard) -> None:
        self.port = int(board.url.split(":")[2].split("/")[0])
        self.host = f"127.0.0.1:{self.port}"

    def ask(self, path: str, body: object = None, **headers: str) -> tuple[int, dict[str, str], str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        text = body if body is None or isinstance(body, bytes) else json.dumps(body)
        connection.putrequest("GET" if body is None else "POST", path, skip_host="Host" in given)
        for name, value in given.items():
            connection.putheader(name, value)
        if text is not None:
            connection.putheader("Content-Length", str(len(text)))
        connection.endheaders(text.encode() if isinstance(text, str) else text)
        answer = connection.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read().decode()
        connection.close()
        return found

    def secret(self, **headers: str) -> str:
        page = self.ask("/", **headers)[2]
        return page.split('name="page-secret" content="')[1].split('"')[0]

    def post(self, what: str, body: object, **headers: str) -> tuple[int, dict]:
        asked = {"X_Slackwater_Page": self.secret(), "Origin": f"http://{self.host}", **headers}
        status, _, text = self.ask(f"/{what}?query=0", body, **asked)
        return status, json.loads(text)


@pytest.fixture
def left(tmp_path) -> Left:
    return Left(tmp_path)


@pytest.fixture
def visitor(left):
    with Dashboard(left.checkpoint) as board:
        yield Visitor(board)


@pytest.fixture
def guarded(left):
    with Dashboard(left.checkpoint, token=TOKEN) as board:
        yield Visitor(board)


def test_the_page_loads_nothing_from_elsewhere(visitor):
    status, headers, page = visitor.ask("/")
    assert (200, True) == (status, "default-src 'none'" in headers["Content-Security-Policy"])
    assert ["http://www.w3.org/2000/svg"] == re.findall(r"\w+://[^\"]*", page)  # a name, not a place


def test_the_page_and_its_policy_agree_on_a_nonce_that_is_new_each_time(visitor):
    nonces = set()
    for _ in range(2):
        _, headers, page = visitor.ask("/")
        nonce = headers["Content-Security-Policy"].split("'nonce-")[1].split("'")[0]
        assert 2 == page.count(f'nonce="{nonce}"')
        nonces.add(nonce)
    assert 2 == len(nonces)


def test_data_is_that_of_the_query(visitor, left):
    left.decisions(0, [3_000_000])
    found = json.loads(visitor.ask("/data?query=0")[2])
    assert ("buses", [3.0]) == (found["query"]["name"], found["decided"]["slack"][0]["mid"])


@pytest.mark.parametrize(
    "path",
    [
        "/../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/checkpoint/offsets",
        "/static/page.js",
        "//etc/passwd",
        "/data/../../etc/passwd",
        "/data?query=../../etc",
        "/data?query=-1",
        "/data?query=9",
        "/data?query=99999999999999999999",
        "/data?query=0000009",
        "/data?query=%00",
        "/data?query=¹".encode().decode("latin-1"),
        "/page.html\x00",
        "http://[bad",
        "/query.json",
    ],
)
def test_nothing_else_can_be_had(visitor, path):
    connection = socket.create_connection(("127.0.0.1", visitor.port), timeout=10)
    connection.sendall(f"GET {path} HTTP/1.0\r\nHost: {visitor.host}\r\n\r\n".encode("latin-1"))
    answer = b"".join(iter(lambda: connection.recv(4096), b""))
    connection.close()
    assert (True, False) == (b" 404 " in answer or b" 400 " in answer, b"root:" in answer)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1@evil.example", ""]
)
def test_a_name_that_merely_points_here_is_not_ours(visitor, host):
    assert 421 == visitor.ask("/data", Host=host)[0]


@pytest.mark.parametrize("host", ["localhost:1", "127.0.0.1", "[::1]:8400"])
def test_this_machine_may_be_called_by_its_names(visitor, host):
    assert 200 == visitor.ask("/", Host=host)[0]


def test_a_contract_becomes_a_control_record(visitor, left):
    status, answer = visitor.post("contract", {"contract": " drop 5% "})
    (record,) = left.sent()
    assert (200, "contract", "drop 5%") == (status, record["kind"], record["contract"])
    assert "rules from the next micro-batch on" in answer["said"]


@pytest.mark.parametrize(("what", "body"), [("contract", {"contract": "drop 5%"}), ("prod", {}), ("drain", {})])
def test_nothing_is_sent_to_a_query_that_has_ended(visitor, left, what, body):
    left.ended(written=1)
    assert (400, "the query has ended: start it again") == (
        (answer := visitor.post(what, body))[0],
        answer[1]["error"],
    )
    assert [] == left.sent()


def test_a_prod_becomes_a_control_record(visitor, left):
    assert (200, ["prod"]) == (visitor.post("prod", {})[0], [each["kind"] for each in left.sent()])


def test_a_drain_asks_the_query_to_stop_as_well(visitor, left):
    assert 200 == visitor.post("drain", {})[0]
    assert [{"kind": "drain", "stop": True}] == left.sent()


@pytest.mark.parametrize(
    ("what", "body", "words"),
    [
        ("contract", {"contract": "dance"}, "contract must begin with one of"),
        ("contract", {"contract": "error 3%; rm -rf /"}, "have a number after error"),
        ("contract", {"contract": 5}, "contract must be a text"),
        ("contract", {}, "contract must be a text"),
        ("contract", {"contract": "max" + " " * 600 + "x"}, "have at most 500 letters"),
        ("eval", {}, "what must be one of prod, contract, drain"),
        ("contract", [], "must be a JSON object"),
        ("contract", b"{", "must be a JSON object"),
        ("contract", b"[" * 4_000, "must be a JSON object"),
        ("contract", {"contract": "x" * 5_000}, "must be a JSON object of at most 4096 bytes"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_reason(visitor, left, what, body, words):
    status, answer = visitor.post(what, body)
    assert (400, []) == (status, left.sent())
    assert words in answer["error"]


def test_a_query_that_does_not_listen_says_so(tmp_path):
    left = Left(tmp_path, control=False)
    with Dashboard(left.checkpoint) as board:
        status, answer = Visitor(board).post("drain", {})
    assert 400 == status
    assert "start it with control=" in answer["error"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"X_Slackwater_Page": ""},
        {"X_Slackwater_Page": "guessed"},
    ],
)
def test_another_page_may_not_ask_for_anything(visitor, left, headers):
    status, _ = visitor.post("drain", {}, **headers)
    assert (403, []) == (status, left.sent())


def test_a_get_changes_nothing(visitor, left):
    assert (404, []) == (visitor.ask("/drain?query=0")[0], left.sent())


@pytest.mark.parametrize("path", ["/", "/data", "/drain", "/?token=wrong", "/data?token=" + TOKEN])
def test_without_the_token_there_is_nothing(guarded, path):
    assert 401 == guarded.ask(path)[0]


def test_without_the_token_nothing_can_be_asked(guarded, left):
    assert (401, []) == (guarded.ask("/drain?query=0", {})[0], left.sent())


@pytest.mark.parametrize("cookie", ["slackwater=wrong", "slackwater=", "other=" + TOKEN, "slackwater=ä", "\x01;;=="])
def test_a_wrong_cookie_does_not_help(guarded, cookie):
    assert 401 == guarded.ask("/data", Cookie=cookie)[0]


def test_the_token_is_taken_from_the_address_into_a_cookie(guarded):
    status, headers, _ = guarded.ask(f"/?token={TOKEN}")
    assert (303, "/") == (status, headers["Location"])
    assert f"slackwater={TOKEN}; HttpOnly; SameSite=Strict; Path=/" == headers["Set-Cookie"]


@pytest.mark.parametrize("headers", [{"Cookie": f"slackwater={TOKEN}"}, {"Authorization": f"Bearer {TOKEN}"}])
def test_who_knows_the_token_may_look(guarded, headers):
    assert 200 == guarded.ask("/data", **headers)[0]


def test_the_page_does_not_hold_the_token(guarded):
    assert TOKEN not in guarded.ask("/", Cookie=f"slackwater={TOKEN}")[2]


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org", "::"])
def test_others_than_this_machine_need_a_token(host):
    with pytest.raises(ParameterError, match="host must be this machine unless there is a token"):
        Access(host)


def test_a_short_token_is_refused_and_not_repeated():
    with pytest.raises(ParameterError, match="must have at least 16 letters") as caught:
        Access("0.0.0.0", "swordfish")
    assert "swordfish" not in str(caught.value)


def test_a_name_that_is_markup_is_shown_as_text(tmp_path):
    left = Left(tmp_path, name=HOSTILE)
    with Dashboard(left.checkpoint) as board:
        page = Visitor(board).ask("/")[2]
    assert (False, True) == ("<img src=x" in page, "&lt;img src=x onerror=alert(1)&gt;" in page)


def test_a_page_for_several_queries_names_each(tmp_path):
    folders = [Left(tmp_path / name, name=name).checkpoint for name in ("one", "two")]
    with Dashboard(*folders) as board:
        found = json.loads(Visitor(board).ask("/data?query=1")[2])
    assert "two" == found["query"]["name"]


def test_a_name_that_looks_like_a_place_of_the_page_stays_a_name(tmp_path):
    left = Left(tmp_path, name="{{SECRET}}")
    with Dashboard(left.checkpoint) as board:
        assert '<option value="0">{{SECRET}}</option>' in Visitor(board).ask("/")[2]
