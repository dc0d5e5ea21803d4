"""Limits of rates: which requests share one, and when it is looked at."""

from dataclasses import replace

import pytest

from audience.access import keys
from audience.http.access import PUBLIC
from tests import response_assertions
from tests.http.test_access import opened

FAMILIES = {
    "fetch": "/fetch/fields",
    "batch": "/batch/imports",
    "stats": "/stats/site",
    "experimental": "/experimental/blacklist",
}


@pytest.mark.parametrize("family", FAMILIES)
def test_rate_limits_are_per_key_and_family(tmp_path, family):
    def get(caller, name):
        return caller.get(FAMILIES[name], query={"ip_address": "10.0.0.1"})

    client = opened(tmp_path, **{f"rate_limit_{family}": "2/minute"})
    other = replace(client, key=keys.create([client.site]))
    assert [get(client, family).status_code for _ in range(3)] == [200, 200, 429]
    refused = get(client, family)
    response_assertions.error(refused, 429)
    assert refused.headers["Retry-After"] == "60"
    response_assertions.answer(get(other, family))
    for free in FAMILIES.keys() - {family}:
        response_assertions.answer(get(client, free))


def test_the_rate_limit_is_checked_after_the_scope_and_before_the_body(tmp_path):
    client = opened(tmp_path, rate_limit_fetch="1/minute")
    reader = replace(client, key=keys.create([client.site], "read"))
    response_assertions.error(client.post("/fetch/fields", {}), 422)
    response_assertions.error(client.post("/fetch/fields", {}), 429)
    response_assertions.error(client.call("POST", "/fetch/fields", data=b"{"), 400)
    response_assertions.answer(reader.get("/fetch/fields"))
    response_assertions.error(reader.post("/fetch/fields", {}), 403)
    response_assertions.error(reader.get("/fetch/fields"), 429)


def test_a_route_has_the_rate_limit_of_its_path(app, settings):
    routes = [(rule.rule, app.view_functions[rule.endpoint]) for rule in app.url_map.iter_rules()]
    declared = [(path, view.declared) for path, view in routes if getattr(view, "scope", PUBLIC) != PUBLIC]
    assert declared
    for path, each in declared:
        assert path.split("/")[3] == each.family
        assert hasattr(settings, f"rate_limit_{each.family}")
