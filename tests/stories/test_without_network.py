"""A story: without a network, the service starts and answers all six questions within `dns_timeout`."""

import os
import socket

import pytest

from tests.service import serving


@pytest.fixture(params=["silent", "nobody"])
def resolver(request):
    """The address of a resolver that never answers, or an address without a resolver."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as bound:
        bound.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{bound.getsockname()[1]}"
        if request.param == "nobody":
            bound.close()
        yield address


def test_all_six_questions_are_answered(tmp_path, geo_table, resolver):
    os.link(geo_table, tmp_path / geo_table.name)
    away = {"AUDIENCE_DNS_SERVERS": resolver, "AUDIENCE_DNS_TIMEOUT": "0.5"}
    with serving(tmp_path, **away) as service:

        def ask(method, path, body=None):
            status, answer = service.call(method, f"/experimental{path}", body, timeout=10)
            assert status == 200
            return answer

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
