"""The common behaviour of all six answers (docs/contract.md, Answers)."""

import json

import pytest

from audience.access import keys
from tests import response_assertions
from tests.client import ApiClient, basic, open_client

QUESTIONS = [  # path, values, keys of the answer
    ("/experimental/validation", {"email": "ann@firm.org"}, ["valid", "reasons", "score", "suggestion"]),
    (
        "/experimental/strict_ruleset",
        {"email": "ann@firm.org"},
        ["valid", "reasons", "block_free_providers", "suggestion"],
    ),
    (
        "/experimental/Somebodys_ruleset",
        {"email": "ann@firm.org"},
        ["valid", "reasons", "block_free_providers", "suggestion"],
    ),
    (
        "/experimental/content_moderation",
        {"content": "Hello"},
        ["valid", "reasons", "safe_original_content"],
    ),
    ("/experimental/moderation", {"content": "Hello"}, ["valid", "reasons", "safe_original_content"]),
    ("/experimental/gender", {"name": "jesse"}, ["gender", "confidence", "basis"]),
    (
        "/experimental/blacklist",
        {"domain": "firm.org"},
        ["data", "query", "description", "results", "status"],
    ),
    (
        "/experimental/blacklist.json",
        {"ip_address": "8.8.4.4"},
        ["data", "query", "description", "results", "status"],
    ),
]
FAILING_ANSWERS = QUESTIONS[:6]
UNREADABLE = [["x"], {"a": 1}, [], {}, [None], float("nan"), float("inf"), 2**64, -(2**63) - 1]
HOSTILE = [
    *(
        "",
        " ",
        "\0",
        "a\0b.firm.org",
        "\ud800",
        "ann@\udfff.org",
        "\ud83d",
        "\u202egro.mrif@nna",
        "\r\n.\r\n",
    ),
    *(
        "'; DROP TABLE people; --",
        "%s%n{0}${7*7}",
        "../../etc/passwd",
        "\ufeff",
        "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢",
        "@" * 5000,
        "ا" * 5000,
    ),
    *("x" * 1_000_000, "<" * 1_000_000, "a." * 500_000, "ann@" + "b-." * 300_000, "&#x3c;" * 150_000),
    *(True, False, 0, -1, 1.5, 2**63 - 1, 1e300),
]
EMPTY_BODIES = [b"", b"null", b"{}", b"[]", b"  "]


@pytest.mark.parametrize(("path", "values", "answer_keys"), QUESTIONS)
def test_values_are_read_from_the_body_or_the_query(answers_client, path, values, answer_keys):
    answers = [response_assertions.answer(answers_client.post(path, values))]
    answers += [
        response_assertions.answer(
            answers_client.http.post(
                f"/api/v1{path}",
                query_string=values,
                data=data,
                headers={
                    "Authorization": basic(answers_client.key.publishable_key, answers_client.key.secret_key)
                },
                content_type="application/json",
            )
        )
        for data in EMPTY_BODIES
    ]
    assert list(answers[0]) == answer_keys
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize(("path", "values", "answer_keys"), QUESTIONS)
def test_the_body_overrides_the_query_and_null_means_absent(answers_client, path, values, answer_keys):
    [(name, value)] = values.items()
    expected = response_assertions.answer(answers_client.post(path, values))
    assert response_assertions.answer(answers_client.post(path, values, query={name: "8.8.8.8"})) == expected
    assert (
        response_assertions.answer(answers_client.post(path, {name: None}, query={name: value})) == expected
    )


@pytest.mark.parametrize(("path", "values", "answer_keys"), QUESTIONS)
def test_a_missing_value_is_a_422(answers_client, path, values, answer_keys):
    [name] = values
    expected = ["domain" if "blacklist" in path else name]
    for body in (None, {}, {name: None}, {"other": "x"}):
        assert response_assertions.error_fields(answers_client.post(path, body)) == expected


@pytest.mark.parametrize(("path", "values", "answer_keys"), QUESTIONS)
def test_a_value_that_is_not_text_is_a_422(answers_client, path, values, answer_keys):
    [name] = values
    for value in UNREADABLE:
        assert response_assertions.error_fields(answers_client.post(path, {name: value})) == [name]


@pytest.mark.parametrize(("path", "values", "answer_keys"), FAILING_ANSWERS)
def test_any_text_is_answered(answers_client, path, values, answer_keys):
    [name] = values
    for value in HOSTILE:
        answer = response_assertions.answer(answers_client.post(path, {name: value}))
        assert list(answer) == answer_keys
        if name == "email":
            assert answer["valid"] is False
            assert "syntax" in answer["reasons"]
        elif name == "name":
            assert (answer["gender"] == "unknown") == (answer["confidence"] == 0.0)


@pytest.mark.parametrize("name", ["name", "user_agent", "ip"])
def test_the_context_of_an_address_may_be_any_text(answers_client, name):
    for value in HOSTILE:
        answer = response_assertions.answer(
            answers_client.post("/experimental/validation", {"email": "ann@firm.org", name: value})
        )
        assert type(answer["valid"]) is bool
        assert 0 <= answer["score"] <= 1


@pytest.mark.parametrize("name", ["domain", "ip_address", "ip", "ipAddress"])
def test_the_blacklists_refuse_malformed_domains_and_addresses(answers_client, name):
    for value in HOSTILE:
        fields = response_assertions.error_fields(
            answers_client.post("/experimental/blacklist", {name: value})
        )
        assert fields == ["domain" if name == "domain" else "ip_address"]


def test_geolocation_refuses_malformed_ipv4_addresses(answers_client):
    for value in HOSTILE:
        assert response_assertions.error_fields(
            answers_client.get("/experimental/geolocation", {"ip": value})
        ) == ["ip"]


@pytest.mark.parametrize("path", [path for path, *_ in FAILING_ANSWERS])
def test_an_empty_value_in_the_query_is_answered(answers_client, path):
    name = next(iter(next(values for each, values, _ in QUESTIONS if each == path)))
    assert response_assertions.answer(
        answers_client.post(path, query={name: ""})
    ) == response_assertions.answer(answers_client.post(path, {name: ""}))


@pytest.mark.parametrize(("path", "values", "answer_keys"), QUESTIONS)
def test_a_key_of_several_sites_may_omit_the_site_but_not_name_a_wrong_one(
    client, other_client, path, values, answer_keys
):
    elsewhere = open_client(client.http)
    both = ApiClient(client.http, client.site, keys.create([client.site, other_client.site], "utility"))
    for site_uuid in (None, client.site.uuid, other_client.site.uuid, ""):
        response_assertions.answer(both.post(path, values, query={"site_uuid": site_uuid}))
    for wrong in (elsewhere.site.uuid, "nonsense"):
        response_assertions.error(both.post(path, values, query={"site_uuid": wrong}), 401)
        response_assertions.error(
            both.post(path, {**values, "site_uuid": wrong}, query={"site_uuid": None}), 401
        )


@pytest.mark.parametrize(("path", "values", "answer_keys"), QUESTIONS)
def test_a_site_appended_to_a_value_is_removed(answers_client, client, path, values, answer_keys):
    [(name, value)] = values.items()
    expected = response_assertions.answer(client.post(path, values))
    query = {name: f"{value}?site_uuid={client.site.uuid}"}
    assert response_assertions.answer(answers_client.post(path, query=query)) == expected
    response_assertions.error(answers_client.post(path, query={name: f"{value}?site_uuid=nonsense"}), 401)


def test_a_refusal_does_not_echo_the_request(answers_client):
    for path, body in [
        ("/experimental/blacklist", {"domain": "canary canary"}),
        ("/experimental/blacklist", {"ip": "canary"}),
        ("/experimental/validation", {"email": ["canary"]}),
        ("/experimental/strict_ruleset", {"email": "ann@firm.org", "wiggleroom": "canary"}),
    ]:
        refused = answers_client.post(path, body)
        assert response_assertions.error_fields(refused)
        assert "canary" not in refused.text


@pytest.mark.parametrize(
    "name", ["_ruleset", "strict-ruleset", "a1_ruleset", "a_b_ruleset", "strict_rulesets"]
)
def test_a_rule_set_name_consists_of_letters(answers_client, name):
    response_assertions.error(answers_client.post(f"/experimental/{name}", {"email": "ann@firm.org"}), 404)


def test_unknown_keys_are_ignored(answers_client):
    for path, values, answer_keys in QUESTIONS:
        answer = response_assertions.answer(answers_client.post(path, {**values, "x": [1], "": {}}))
        assert sorted(json.loads(json.dumps(answer))) == sorted(answer_keys)
