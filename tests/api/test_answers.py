"""What holds for all six questions asked at sign-up (contract sections 1 and 5)."""

import json

import pytest

from audience import sites
from tests import shapes
from tests.door import Door, basic, open_door

QUESTIONS = [  # path, what is asked, keys of the answer
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
    ("/experimental/gender", {"name": "jesse"}, ["gender", "confidence"]),
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
JUDGES = QUESTIONS[:6]
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


@pytest.mark.parametrize(("path", "asked", "keys"), QUESTIONS)
def test_values_come_in_the_body_or_in_the_query(asker, path, asked, keys):
    answers = [shapes.answer(asker.post(path, asked))]
    answers += [
        shapes.answer(
            asker.client.post(
                f"/api/v1{path}",
                query_string=asked,
                data=data,
                headers={"Authorization": basic(asker.key.publishable_key, asker.key.secret_key)},
                content_type="application/json",
            )
        )
        for data in EMPTY_BODIES
    ]
    assert list(answers[0]) == keys
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize(("path", "asked", "keys"), QUESTIONS)
def test_the_body_wins_over_the_query_and_null_is_absent(asker, path, asked, keys):
    [(name, value)] = asked.items()
    expected = shapes.answer(asker.post(path, asked))
    assert shapes.answer(asker.post(path, asked, query={name: "8.8.8.8"})) == expected
    assert shapes.answer(asker.post(path, {name: None}, query={name: value})) == expected


@pytest.mark.parametrize(("path", "asked", "keys"), QUESTIONS)
def test_a_missing_value_is_a_422(asker, path, asked, keys):
    [name] = asked
    expected = ["domain" if "blacklist" in path else name]
    for body in (None, {}, {name: None}, {"other": "x"}):
        assert shapes.error_fields(asker.post(path, body)) == expected


@pytest.mark.parametrize(("path", "asked", "keys"), QUESTIONS)
def test_what_is_no_text_is_a_422(asker, path, asked, keys):
    [name] = asked
    for value in UNREADABLE:
        assert shapes.error_fields(asker.post(path, {name: value})) == [name]


@pytest.mark.parametrize(("path", "asked", "keys"), JUDGES)
def test_a_judge_answers_whatever_text_it_is_given(asker, path, asked, keys):
    [name] = asked
    for value in HOSTILE:
        answer = shapes.answer(asker.post(path, {name: value}))
        assert list(answer) == keys
        if name == "email":
            assert answer["valid"] is False
            assert "syntax" in answer["reasons"]
        elif name == "name":
            assert (answer["gender"] == "unknown") == (answer["confidence"] == 0.0)


@pytest.mark.parametrize("name", ["name", "user_agent", "ip"])
def test_what_accompanies_an_address_may_be_any_text(asker, name):
    for value in HOSTILE:
        answer = shapes.answer(asker.post("/experimental/validation", {"email": "ann@firm.org", name: value}))
        assert type(answer["valid"]) is bool
        assert 0 <= answer["score"] <= 1


@pytest.mark.parametrize("name", ["domain", "ip_address", "ip", "ipAddress"])
def test_the_blacklists_refuse_what_is_neither_domain_nor_address(asker, name):
    for value in HOSTILE:
        fields = shapes.error_fields(asker.post("/experimental/blacklist", {name: value}))
        assert fields == ["domain" if name == "domain" else "ip_address"]


def test_geolocation_refuses_what_is_no_ipv4_address(asker):
    for value in HOSTILE:
        assert shapes.error_fields(asker.get("/experimental/geolocation", {"ip": value})) == ["ip"]


@pytest.mark.parametrize("path", [path for path, *_ in JUDGES])
def test_an_empty_value_in_the_query_is_an_answer(asker, path):
    name = next(iter(next(asked for each, asked, _ in QUESTIONS if each == path)))
    assert shapes.answer(asker.post(path, query={name: ""})) == shapes.answer(asker.post(path, {name: ""}))


@pytest.mark.parametrize(("path", "asked", "keys"), QUESTIONS)
def test_a_key_of_several_sites_needs_to_name_none_but_no_wrong_one(door, stranger, path, asked, keys):
    elsewhere = open_door(door.client)
    both = Door(door.client, door.site, sites.create_key([door.site, stranger.site], "utility"))
    for given in (None, door.site.uuid, stranger.site.uuid, ""):
        shapes.answer(both.post(path, asked, query={"site_uuid": given}))
    for wrong in (elsewhere.site.uuid, "nonsense"):
        shapes.error(both.post(path, asked, query={"site_uuid": wrong}), 401)
        shapes.error(both.post(path, {**asked, "site_uuid": wrong}, query={"site_uuid": None}), 401)


@pytest.mark.parametrize(("path", "asked", "keys"), QUESTIONS)
def test_a_site_appended_to_a_value_is_cut_off(asker, door, path, asked, keys):
    [(name, value)] = asked.items()
    expected = shapes.answer(door.post(path, asked))
    query = {name: f"{value}?site_uuid={door.site.uuid}"}
    assert shapes.answer(asker.post(path, query=query)) == expected
    shapes.error(asker.post(path, query={name: f"{value}?site_uuid=nonsense"}), 401)


def test_a_refusal_repeats_nothing_of_what_was_sent(asker):
    for path, body in [
        ("/experimental/blacklist", {"domain": "canary canary"}),
        ("/experimental/blacklist", {"ip": "canary"}),
        ("/experimental/validation", {"email": ["canary"]}),
        ("/experimental/strict_ruleset", {"email": "ann@firm.org", "wiggleroom": "canary"}),
    ]:
        refused = asker.post(path, body)
        assert shapes.error_fields(refused)
        assert "canary" not in refused.text


@pytest.mark.parametrize(
    "name", ["_ruleset", "strict-ruleset", "a1_ruleset", "a_b_ruleset", "strict_rulesets"]
)
def test_a_rule_set_is_named_with_letters(asker, name):
    shapes.error(asker.post(f"/experimental/{name}", {"email": "ann@firm.org"}), 404)


def test_unknown_keys_are_ignored(asker):
    for path, asked, keys in QUESTIONS:
        answer = shapes.answer(asker.post(path, {**asked, "x": [1], "": {}}))
        assert sorted(json.loads(json.dumps(answer))) == sorted(keys)
