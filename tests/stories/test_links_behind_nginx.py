"""A story: links behind nginx as the repository has it: any body unsubscribes, and nothing keeps a token."""

import contextlib
import http.client
import ssl
from typing import Any

from redis import Redis

from audience.config import Settings
from tests.nginx import PUBLIC, nginx
from tests.service import PATIENCE_SECONDS, serving
from tests.stories.test_one_click import BODIES
from workers import embedded_redis

HOST = PUBLIC.removeprefix("https://")
BAD_GATEWAY = 502


def ask(port, method, path, kind="", body=None):
    """The answer, read to its end. A list is sent in chunks."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # a certificate made for this test
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS, context=context)
    with contextlib.closing(connection):
        connection.request(method, path, body, {"Host": HOST} | ({"Content-Type": kind} if kind else {}))
        answer = connection.getresponse()
        answer.read()
        return answer


def in_redis(instance):
    """All keys with their values, as Redis stores them."""
    with Redis.from_url(embedded_redis.url(Settings(instance=instance))) as redis:
        keys = redis.keys()
        assert keys
        return [part for key in keys for part in (key, redis.dump(key) or b"")]


def test_any_body_unsubscribes_and_neither_a_log_nor_redis_has_a_token(tmp_path):
    settings: Any = {"AUDIENCE_PUBLIC_URL": PUBLIC, "AUDIENCE_TRUSTED_PROXIES": "127.0.0.1"}
    paths: list[str] = []
    with contextlib.ExitStack() as stack:
        with serving(tmp_path / "instance", **settings) as service:
            port = stack.enter_context(nginx(tmp_path, service.port))
            for name, (kind, body) in BODIES.items():
                email = f"{name}@example.com"
                service.call("POST", "/fetch/subscribers", {"subscriber": {"email": email}})
                links = service.call("GET", f"/fetch/links?email={email}")[1]["data"]
                paths += [url.removeprefix(PUBLIC) for url in links.values()]
                assert [ask(port, method, paths[-2]).status for method in ("GET", "HEAD")] == [200, 200]
                found = service.call("GET", f"/fetch/subscribers?email={email}")[1]["data"]
                assert found["attributes"]["unsubscribed_at"] is None
                answer = ask(port, "POST", paths[-2], kind, body)
                headers = [answer.getheader(header) for header in ("Location", "Set-Cookie")]
                assert (answer.status, headers) == (200, [None, None]), name
                found = service.call("GET", f"/fetch/subscribers?email={email}")[1]["data"]
                assert found["attributes"]["unsubscribed_at"], name
            stored = b"".join(in_redis(tmp_path / "instance"))
        below = [f"/people{path}" for path in paths]
        assert {ask(port, "GET", path).status for path in (*paths, *below, "/docs?gone")} == {BAD_GATEWAY}
    logged = {file.name: file.read_text("utf-8") for file in tmp_path.glob("*.log")}
    assert all("/docs?gone" in text for text in logged.values())
    assert len(logged) == 2
    stored += b"".join(file.read_bytes() for file in (tmp_path / "instance").rglob("*") if file.is_file())
    for token in [path.rpartition("/")[2] for path in paths]:
        assert not any(token in text for text in logged.values())
        assert token.encode() not in stored
