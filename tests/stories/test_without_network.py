"""A story: without a network, the service starts and answers all six questions within `dns_timeout`."""

import os
import socket
from urllib.parse import parse_qsl

import pytest

from audience.config import Settings
from tests.service import free_port, serving


def check_all_six(ask):
    validated = ask("POST", "/validation", {"email": "ann@some-firm.org", "ip": "8.8.8.8"})
    assert (validated["valid"], validated["reasons"]) == (True, ["dns_unavailable"])
    strict = ask("POST", "/strict_ruleset", {"email": "ann@some-firm.org"})
    assert (strict["valid"], strict["reasons"]) == (True, ["dns_unavailable"])
    statuses = {"unknown", "retired", "not_configured"}
    for query, expected in (("domain=some-firm.org", set()), ("ip=8.8.4.4", {"does_not_apply"})):
        listed = ask("GET", f"/blacklist?{query}")
        assert set(listed["results"].values()) == {False}
        assert set(listed["status"].values()) == statuses | expected
    assert ask("POST", "/content_moderation", {"content": "<script>"})["reasons"] == ["xss", "script_tag"]
    assert ask("POST", "/gender", {"name": "jesse"})["gender"] == "male"
    assert ask("GET", "/geolocation?ip=8.8.8.8")["city_name"] == "Mountain View"


def test_a_service_whose_resolver_is_silent_answers_them(tmp_path):
    with socket.socket(type=socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        resolver = f"127.0.0.1:{silent.getsockname()[1]}"
        with serving(tmp_path, AUDIENCE_DNS_SERVERS=resolver, AUDIENCE_DNS_TIMEOUT="0.5") as service:

            def ask(method, path, body=None):
                status, answer = service.call(method, f"/experimental{path}", body)
                assert status == 200
                return answer

            check_all_six(ask)


@pytest.fixture
def settings(tmp_path, geo_table, database_url):
    """Of an instance whose resolver nobody is."""
    os.link(geo_table, tmp_path / geo_table.name)
    resolver = f"127.0.0.1:{free_port()}"
    return Settings(instance=tmp_path, database_url=database_url, dns_servers=(resolver,), dns_timeout=0.5)


def test_an_application_without_a_resolver_answers_them(client):
    def ask(method, path, body=None):
        path, _, query = path.partition("?")
        answer = client.call(method, f"/experimental{path}", body, query=dict(parse_qsl(query)))
        assert answer.status_code == 200
        return answer.json

    check_all_six(ask)
