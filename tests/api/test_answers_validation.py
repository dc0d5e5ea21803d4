"""Validate an address, also in strict mode (docs/contract.md, Answers)."""

import pytest

from audience.answers.validation.reasons import ValidationReason
from tests import response_assertions
from tests.client import basic
from tests.rows import each_row

PLAIN = "/experimental/validation"
STRICT = "/experimental/strict_ruleset"
CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0"


def validate(answers_client, email="ann@firm.org", **values):
    answer = response_assertions.answer(answers_client.post(PLAIN, {"email": email, **values}))
    response_assertions.keys(answer, "valid", "reasons", "score", "suggestion")
    assert type(answer["valid"]) is bool
    assert type(answer["score"]) in (int, float)
    assert 0 <= answer["score"] <= 1
    return checked(answer)


def strictly(answers_client, email="ann@firm.org", **values):
    answer = response_assertions.answer(answers_client.post(STRICT, {"email": email, **values}))
    response_assertions.keys(answer, "valid", "reasons", "block_free_providers", "suggestion")
    assert type(answer["block_free_providers"]) is bool
    return checked(answer)


def checked(answer):
    assert type(answer["valid"]) is bool
    assert set(answer["reasons"]) <= set(ValidationReason)
    assert len(set(answer["reasons"])) == len(answer["reasons"])
    assert answer["suggestion"] is None or type(answer["suggestion"]) is str
    return answer


@each_row(("email", "valid", "reasons", "score"), [
    ("ann@firm.org", True, [], 1.0),
    (" ann@firm.org ", True, [], 1.0),
    ("jürgen@müller.de", True, [], 1.0),
    ("ann.lee@gmail.com", True, ["free_provider"], 0.9),
    ("info@firm.org", True, ["role_address"], 0.8),
    ("test@firm.org", False, ["synthetic_mailbox"], 0.4),
    ("ann@mailinator.com", False, ["disposable"], 0.1),
    ("ann@x.mailinator.com", False, ["disposable"], 0.1),
    ("ann@throwaway.org", False, ["disposable_mx"], 0.1),
    ("ann@nowhere-at-all.org", False, ["no_such_domain"], 0.0),
    ("ann@null.org", False, ["null_mx"], 0.0),
    ("ann@web.org", True, ["no_mx"], 0.8),
    ("ann@dead.org", True, ["temporary_bounce"], 0.6),
    ("ann@fail.org", True, ["temporary_bounce"], 0.6),
    ("ann@odd.org", True, ["dns_unavailable"], 1.0),
    ("ann@example.com", False, ["reserved_domain"], 0.0),
    ("ann@firm.quux", False, ["unknown_tld"], 0.0),
    ("ann", False, ["syntax"], 0.0),
    ("ann@firm.org, bob@firm.org", False, ["syntax"], 0.0),
    ("a" * 65 + "@firm.org", False, ["syntax"], 0.0),
    ("ann@" + "a" * 250 + ".org", False, ["syntax"], 0.0),
    (5, False, ["syntax"], 0.0),
])  # fmt: skip
def test_results_for_addresses(answers_client, email, valid, reasons, score):
    answer = validate(answers_client, email)
    assert answer == {"valid": valid, "reasons": reasons, "score": score, "suggestion": None}


def sent_in_query(client, path, email):
    """The query string as it is."""
    headers = {"Authorization": basic(client.key.publishable_key, client.key.secret_key)}
    return client.http.post(f"/api/v1{path}?email={email}", headers=headers)


@pytest.mark.parametrize("path", [PLAIN, STRICT])
@pytest.mark.parametrize("email", ["ann+news@firm.org", "ann+a+b%40firm.org", " ann%2Bnews@firm.org"])
def test_a_plus_in_the_query_may_be_unencoded(answers_client, path, email):
    assert checked(response_assertions.answer(sent_in_query(answers_client, path, email)))["valid"] is True


@pytest.mark.parametrize("email", ["ann+@firm.org", "ann++news@firm.org", "ann@+firm.org", "ann+lee"])
def test_a_blank_that_can_be_no_plus_stays_one(answers_client, email):
    answer = checked(response_assertions.answer(sent_in_query(answers_client, PLAIN, email)))
    assert (answer["valid"], answer["reasons"][0]) == (False, "syntax")


def test_a_blank_in_a_body_is_no_plus(answers_client):
    assert validate(answers_client, "ann news@firm.org")["reasons"] == ["syntax"]


@pytest.mark.parametrize(("email", "meant"), [
    ("ann@gamil.com", "ann@gmail.com"), ("ann@hotmial.co.uk", "ann@hotmail.co.uk"),
    ("ann@gmail.cmo", "ann@gmail.com"), ("ann@gmail.com.com", "ann@gmail.com"),
    ("ann@gmail,com", "ann@gmail.com"), ("ann@gmail", "ann@gmail.com"), ("ann@web,de", "ann@web.de"),
    ("ann@@gmail.com", "ann@gmail.com"), ("ann@ gmail.com", "ann@gmail.com"),
])  # fmt: skip
def test_a_typo_has_a_suggested_address(answers_client, email, meant):
    for answer in (validate(answers_client, email), strictly(answers_client, email)):
        assert answer["suggestion"] == meant
        assert answer["valid"] is False
        assert "typo" in answer["reasons"]


def test_the_score_is_written_with_a_fraction(answers_client):
    assert '"score":1.0' in answers_client.post(PLAIN, {"email": "ann@firm.org"}).get_data(as_text=True)


@each_row(("values", "valid", "reasons"), [
    ({"ip": "8.8.8.8"}, True, []),
    ({"ip": "77.88.8.8"}, False, ["ip_not_tier1"]),
    ({"ip": "10.0.0.1"}, True, ["ip_unknown"]),
    ({"ip": "2001:db8::1"}, True, ["ip_unknown"]),
    ({"ip": "8.8.8"}, True, ["ip_unknown"]),
    ({"ip": "::ffff:8.8.8.8"}, True, []),
    ({"ip": "10.0.0.4, 8.8.8.8"}, True, ["ip_list"]),
    ({"ip": "10.0.0.4, 77.88.8.8, 8.8.8.8"}, False, ["ip_not_tier1", "ip_list"]),
    ({"ip": ""}, True, []),
    ({"ip": None, "name": None, "user_agent": None}, True, []),
    ({"name": "Ann Firmin"}, True, []),
    ({"name": "Buy http://spam.example now"}, False, ["name_link"]),
    ({"name": "<b>Ann</b>"}, True, ["name_markup"]),
    ({"name": "Ann 4711"}, True, ["name_digits"]),
    ({"name": ["Ann"]}, None, ["name"]),
    ({"user_agent": CHROME}, True, []),
    ({"user_agent": ""}, True, ["ua_empty"]),
    ({"user_agent": "curl/8.5.0"}, True, ["ua_http_library"]),
    ({"user_agent": "Googlebot/2.1"}, True, ["ua_bot"]),
    ({"user_agent": CHROME.replace("Chrome", "HeadlessChrome")}, True, ["ua_headless"]),
    ({"user_agent": {"a": 1}}, None, ["user_agent"]),
])  # fmt: skip
def test_the_context_of_an_address(answers_client, values, valid, reasons):
    if valid is None:
        assert (
            response_assertions.error_fields(answers_client.post(PLAIN, {"email": "ann@firm.org", **values}))
            == reasons
        )
        return
    answer = validate(answers_client, **values)
    assert (answer["valid"], answer["reasons"]) == (valid, reasons)


@pytest.mark.parametrize("email", [
    "test@firm.org", "ann@mailinator.com", "noreply@firm.org", "ann@gamil.com", "info@firm.org",
    "xkqzjvwb@firm.org", "ann@web.org", "ann@null.org", "ann@nowhere-at-all.org",
])  # fmt: skip
def test_doubtful_addresses_are_invalid_in_strict_mode(answers_client, email):
    assert strictly(answers_client, email)["valid"] is False


@pytest.mark.parametrize(("option", "valid", "reasons", "reflected"), [
    (None, True, ["free_provider"], False),
    (False, True, [], False),
    (True, False, ["free_provider"], True),
    ("true", False, ["free_provider"], True),
    ("false", True, [], False),
    (0, True, [], False),
    (1, False, ["free_provider"], True),
])  # fmt: skip
def test_block_free_providers_in_the_body_and_in_the_query(answers_client, option, valid, reasons, reflected):
    expected = {"valid": valid, "reasons": reasons, "block_free_providers": reflected, "suggestion": None}
    assert strictly(answers_client, "ann.lee@gmail.com", block_free_providers=option) == expected
    text = None if option is None else str(option).lower()
    query = {"email": "ann.lee@gmail.com", "block_free_providers": text, "wiggleroom": ""}
    assert response_assertions.answer(answers_client.post(STRICT, query=query)) == expected


@pytest.mark.parametrize("email", ["info@firm.org", "xkqzjvwb@firm.org", "ann@web.org"])
def test_wiggleroom_relaxes_the_opinionated_rules_and_may_be_null(answers_client, email):
    relaxed = strictly(answers_client, email, wiggleroom=True)
    assert relaxed["valid"] is True
    for option in (None, False):
        answer = strictly(answers_client, email, wiggleroom=option)
        assert answer["valid"] is False
        assert answer["reasons"] == relaxed["reasons"]


@pytest.mark.parametrize("name", ["block_free_providers", "wiggleroom"])
@pytest.mark.parametrize("value", ["maybe", "", [], [True], {}, 2, float("nan"), "\ud800"], ids=repr)
def test_an_option_that_is_not_boolean_is_a_422(answers_client, name, value):
    refused = answers_client.post(STRICT, {"email": "ann@firm.org", name: value})
    assert response_assertions.error_fields(refused) == [name]


def test_dns_is_queried_only_if_no_other_rule_has_decided(answers_client, dns):
    before = list(dns.seen)
    validate(answers_client, "ann@mailinator.com")
    validate(answers_client, "no address")
    strictly(answers_client, "test@unasked-firm.org")
    assert dns.seen == before
