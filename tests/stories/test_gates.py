"""A story: what waits for the DNS, or to write, leaves threads to what needs no waiting."""

import base64
import fcntl
import json
import select
import socket
from contextlib import ExitStack, contextmanager
from typing import Any

from tests.service import PATIENCE_SECONDS, serving

THREADS = 8
WAITING = 3
PEOPLE = [{"subscriber": {"email": f"p{number}@example.com"}} for number in range(THREADS)]
DOUBTED = [{"email": f"ann@firm{number}.org"} for number in range(THREADS)]


@contextmanager
def asked(service, path, bodies):
    """Connections on which each body was posted, at once."""
    keys = f"{service.first['publishable_key']}:{service.first['secret_key']}"
    basic = base64.b64encode(keys.encode()).decode()
    with ExitStack() as stack:
        clients = [
            stack.enter_context(socket.create_connection(("127.0.0.1", service.port), PATIENCE_SECONDS))
            for _ in bodies
        ]
        for client, body in zip(clients, map(json.dumps, bodies), strict=True):
            head = f"POST /api/v1{path} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {basic}\r\n"
            client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        yield clients


def first_answers(clients, number):
    """The statuses of the first ones that are answered, and those that still wait."""
    statuses, waiting = list[int](), set(clients)
    while len(statuses) < number:
        ready, _, _ = select.select(waiting, [], [], PATIENCE_SECONDS)
        assert ready, f"only {statuses} were answered"
        statuses += [int(client.recv(65536).split()[1]) for client in ready]
        waiting -= set(ready)
    return statuses, waiting


def test_three_eighths_of_the_threads_may_wait_to_write(tmp_path):
    settings: dict[str, Any] = {"AUDIENCE_WEB_THREADS": str(THREADS), "AUDIENCE_DATABASE_TIMEOUT": "600"}
    with serving(tmp_path, **settings) as service, (tmp_path / "audience.db.writing-lock").open() as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        with asked(service, "/fetch/subscribers", PEOPLE) as clients:
            refused, waiting = first_answers(clients, THREADS - WAITING)
            assert refused == [503] * (THREADS - WAITING)
            assert service.call("GET", "/fetch/tags")[0] == 200
            fcntl.flock(turn, fcntl.LOCK_UN)
            assert first_answers(waiting, WAITING)[0] == [201] * (WAITING)
        assert {service.call("POST", "/fetch/subscribers", person)[0] for person in PEOPLE} == {201}


def test_three_eighths_of_the_threads_may_wait_for_the_dns(tmp_path):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        server = f"127.0.0.1:{silent.getsockname()[1]}"
        settings: dict[str, Any] = {"AUDIENCE_WEB_THREADS": str(THREADS), "AUDIENCE_DNS_TIMEOUT": "30"}
        with (
            serving(tmp_path, AUDIENCE_DNS_SERVERS=server, **settings) as service,
            asked(service, "/experimental/validation", DOUBTED) as clients,
        ):
            refused, _ = first_answers(clients, THREADS - WAITING)
            assert refused == [503] * (THREADS - WAITING)
            assert service.call("GET", "/fetch/tags")[0] == 200
