"""``lpcfg serve`` as a process of its own: good and malformed requests, many at once, strangers, the end."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from command_line import fail, succeed
from serving_process import serving

from lpcfg_cli.cli import serve_command
from lpcfg_cli.serving.options import RequestRefused
from lpcfg_cli.serving.request_queue import RequestQueue

SENTENCES = ("The keeper lit the lamp .", "They sold old rope .", "the boat left the harbour .", "John slept .")


def ask(place, path, body=None, method=None, **headers):
    """Status, headers and body of an answer."""
    connection = http.client.HTTPConnection(place, timeout=60)
    try:
        connection.request(method or ("GET" if body is None else "POST"), path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


def as_json(**request):
    return json.dumps(request).encode()


@pytest.fixture(scope="module")
def server(trained):
    with serving(trained, "--max-length", "12", "--nbest", "3") as (_, place):
        yield place


REQUESTS = [
    {"text": SENTENCES[0]},
    {"words": SENTENCES[2].split(), "tags": [None, "NN", ["VBD", "VBZ"], None, None, None]},
    {"text": SENTENCES[1], "require": [[1, 4, "VP"]], "forbid": [[0, 4]], "root": "S"},
    {"text": SENTENCES[3], "require": [[0, 1, "XX"]], "closest": True},
    {"text": "“Ça” (zut) \U0001f600 <b> & \\"},
    {"text": ""},
]


@pytest.mark.parametrize("request_", REQUESTS)
def test_the_answer_is_that_of_the_command(request_, server, trained):
    status, headers, text = ask(server, "/parse", json.dumps(request_).encode())
    assert (status, headers["Content-Type"]) == (200, "application/json")
    closest = ["--closest"] if request_.get("closest") else []
    line = json.dumps({key: value for key, value in request_.items() if key != "closest"})
    told = succeed("parse", trained, "-f", "json", "--to", "jsonl", "--nbest", 3, *closest, stdin=f"{line}\n").out
    expected = json.loads(told) | {"place": "<request>:1"}
    assert json.loads(text) == expected
    assert bool(expected.get("unmet")) == bool(closest)


def test_drawings_are_of_the_trees_and_can_be_clicked(server):
    status, _, text = ask(server, "/parse-and-draw", as_json(text=SENTENCES[0]))
    found = json.loads(text)
    assert status == 200 and len(found["drawings"]) == len(found["answer"]["nbest"]) > 1
    for drawing, ranked in zip(found["drawings"], found["answer"]["nbest"], strict=True):
        for bracket in ranked["brackets"]:
            span = f'data-start="{bracket["start"]}" data-stop="{bracket["stop"]}"'
            assert f'<g data-label="{bracket["label"]}" {span}>' in drawing
    assert '<g data-label="DT" data-start="0" data-stop="1">' in found["drawings"][0]


LONG = " ".join(["lamp"] * 13)
MALFORMED = [
    ("/parse", b"", 400, "an empty body"),
    ("/parse", b"{", 400, "no JSON"),
    ("/parse", b"[1]", 400, "expected a JSON object"),
    ("/parse", b"[" * 20_000, 400, "no JSON"),
    ("/parse", b"\xff\xfe", 400, "expected UTF-8"),
    ("/parse", b'{"text": "\\ud800"}', 400, "expected UTF-8"),
    ("/parse", b'{"text": 5}', 400, "5 where there should be a string"),
    ("/parse", b'{"words": "abc"}', 400, "'abc' for words, which is no list"),
    ("/parse", b'{"words": [["a"]]}', 400, "where there should be a string"),
    ("/parse", b'{"words": ["a"], "tags": "N"}', 400, "'N' for tags, which is no list"),
    ("/parse", b'{"words": ["a"], "require": 3}', 400, "3 for require, which is no list"),
    ("/parse", b'{"words": ["a"], "require": [[0, 2]]}', 400, "of a sentence of 1 words"),
    ("/parse", b'{"words": ["a"], "require": [[0, 1e9]]}', 400, "[start, stop]"),
    ("/parse", b'{"text": "a", "colour": 1}', 400, "the key 'colour'"),
    ("/parse", b'{"text": "a", "closest": 1}', 400, "expected true or false"),
    ("/parse", b'{"text": "a", "words": []}', 400, "or with both"),
    ("/parse", as_json(text=LONG), 413, "the sentence has 13 words; this server takes 12"),
    ("/parse", b" " * 70_000, 413, "more than 65,536 bytes"),
    ("/parse", b" " * 5_000_000, 413, "more than 65,536 bytes"),
    ("/parse", as_json(text="a b", require=[[0, 2, "XX"]]), 422, "no tree with XX over words 1 to 2"),
    ("/parse", None, 405, "does not take that method"),
    ("/nothing", b"{}", 404, "nothing at this address"),
    ("/../../etc/passwd", None, 404, "nothing at this address"),
]


@pytest.mark.parametrize(("path", "body", "expected", "message"), MALFORMED)
def test_what_is_wrong_is_said_in_json(path, body, expected, message, server):
    status, headers, text = ask(server, path, body)
    assert (status, headers["Content-Type"]) == (expected, "application/json")
    found = json.loads(text)
    assert found["status"] == expected and message in found["error"]
    assert "Traceback" not in text and ".py" not in text


def test_what_is_no_request_gets_an_answer_too(server):
    with socket.create_connection(server.split(":")) as connection:
        connection.sendall(b"LAMP\r\nX: \x00\r\n\r\n")
        answer = connection.makefile("rb").read()
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b" 400 " in head.splitlines()[0] and "no valid request" in json.loads(body)["error"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example:80"}, 403),
        ({"Host": "["}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "localhost"}, 200),
        ({"Host": "[::1]:80"}, 200),
        ({"Host": "localhost:1", "Origin": "http://localhost:1"}, 200),
    ],
)
def test_pages_from_elsewhere_are_refused(headers, status, server):
    assert ask(server, "/parse", as_json(text="a"), **headers)[0] == status
    assert ask(server, "/", **headers)[0] == status


def test_a_hundred_clients_at_once_are_all_answered_rightly(server):
    good = [json.dumps(one).encode() for one in REQUESTS]
    alone = [ask(server, "/parse", body)[2] for body in good]
    jobs = [("/parse", body, 200, text) for body, text in zip(good, alone, strict=True)]
    jobs += [(path, body, status, None) for path, body, status, _ in MALFORMED]
    wanted = [jobs[k % len(jobs)] for k in range(300)]
    start = threading.Barrier(100)
    with ThreadPoolExecutor(100, initializer=start.wait) as clients:
        found = list(clients.map(lambda job: ask(server, *job[:2]), wanted))
    for (_, _, status, text), (got, _, answer) in zip(wanted, found, strict=True):
        assert got == status
        assert answer == text if text is not None else json.loads(answer)["status"] == status


def test_a_full_queue_tells_clients_to_come_again(trained):
    body = as_json(text=" ".join(["the keeper lit the lamp and"] * 16))
    with serving(trained, "--queue", "1") as (_, place), ThreadPoolExecutor(30) as clients:
        found = list(clients.map(lambda _: ask(place, "/parse", body), range(60)))
    statuses = [status for status, _, _ in found]
    assert set(statuses) == {200, 503}
    for status, headers, text in found:
        assert (headers["Retry-After"] == "1") == (status == 503)
        assert status == 200 or "requests are waiting" in json.loads(text)["error"]


def test_the_queue_gives_turns_one_after_the_other():
    queue, entered, may_leave = RequestQueue(1), threading.Event(), threading.Event()
    inside = []

    def work():
        with queue.turn():
            inside.append(len(inside))
            entered.set()
            assert may_leave.wait(30)

    threads = [threading.Thread(target=work) for _ in range(2)]
    threads[0].start()
    assert entered.wait(30)
    threads[1].start()
    while queue._n_present < 2:
        pass
    assert inside == [0]
    with pytest.raises(RequestRefused, match="1 requests are waiting"), queue.turn():
        raise AssertionError("it is full")
    may_leave.set()
    for thread in threads:
        thread.join(30)
    with queue.turn():
        assert inside == [0, 1]


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_after_what_was_asked(signum, trained):
    with serving(trained) as (process, place), ThreadPoolExecutor(8) as clients:
        connections = [http.client.HTTPConnection(place, timeout=60) for _ in range(8)]
        body = as_json(text=" ".join(["the keeper lit the lamp and"] * 10))
        for connection in connections:
            connection.request("POST", "/parse", body)
        connections[0].getresponse().read()  # all have been received by now
        process.send_signal(signum)
        rest = list(clients.map(lambda connection: connection.getresponse().status, connections[1:]))
        for connection in connections:
            connection.close()
        out, err = process.communicate(timeout=60)
    assert rest == [200] * 7
    assert (process.returncode, out) == (0, "") and err.endswith("ended\n")
    assert "Traceback" not in err
    with pytest.raises(OSError):
        ask(place, "/")


def test_a_taken_port_is_told(trained, server):
    message = fail(3, "serve", trained, "--port", server.split(":")[1])
    assert "cannot listen at 127.0.0.1" in message and "--port" in message


def test_missing_libraries_are_told(trained, monkeypatch):
    monkeypatch.setattr(serve_command, "find_spec", lambda name: None)
    assert "pip install 'lpcfg-cli[serve]'" in fail(3, "serve", trained)


def test_a_model_without_tagger_is_refused(tiny_treebank, small_settings, tmp_path):
    succeed("train", tiny_treebank, "-o", tmp_path / "run", "-c", small_settings, "--no-tagger")
    assert "has no tagger" in fail(3, "serve", tmp_path / "run", "--port", 0)


def test_only_this_machine_can_reach_it(server):
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in sorted(one for one in others if not one.startswith("127.")):
        with pytest.raises(OSError):
            socket.create_connection((address, int(server.split(":")[1])), timeout=5)
    assert os.path.basename(server).startswith("127.0.0.1:")
