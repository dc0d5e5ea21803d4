"""People are found by addresses, domains and names as they are shown (docs/contract.md, Search)."""

import unicodedata

import pytest

from audience.operations import site_lane
from audience.segments import segments
from storage import database
from storage.searches import lists as subscriber_lists
from storage.sql import Sql
from tests import response_assertions

BOOKS, POST, RIVER = "x@bücher.example", "иван@почта.рф", "anna@faß.de"
PUNY, PLUS, NEIL = "y@mail.xn--bcher-kva.example", "ann+news@example.com", "o'neil@example.com"
STREET, SAM, ZOE, RENE = "straße@example.org", "sam@fass.de", "zoe@example.com", "rene@example.com"


MALLEY, SEAN, CPP = "o’malley@irish.example", "sean@example.net", "c++@plus.example"
JOSE = unicodedata.normalize("NFD", "josé@example.net")
EVERYBODY = {BOOKS, POST, RIVER, PUNY, PLUS, STREET, SAM, NEIL, ZOE, RENE, MALLEY, SEAN, CPP, JOSE}

BEGINNINGS = [
    (BOOKS, {BOOKS}), ("X@Bücher.Example", {BOOKS}), ("bücher.example", {BOOKS}), ("BÜCHER", {BOOKS}),
    ("bü", {BOOKS}), ("x@bü", {BOOKS}), ("@bücher.example", {BOOKS}), ("bücher.example.", {BOOKS}),
    ("x@bücher.example.", {BOOKS}), (unicodedata.normalize("NFD", BOOKS), {BOOKS}),
    (unicodedata.normalize("NFD", "bü"), {BOOKS}), ("xn--bcher", {BOOKS}), ("x@xn--bcher-kva.ex", {BOOKS}),
    ("mail.bücher", {PUNY}), ("y@mail.bücher.example", {PUNY}), ("ücher", set()), ("z@bü", set()),
    (POST, {POST}), ("почта.рф", {POST}), ("поч", {POST}), ("ИВАН@", {POST}), ("иван@п", {POST}),
    ("faß.de", {RIVER}), ("anna@faß.de", {RIVER}), ("fass.de", {SAM}),
    ("@example.com.", {PLUS, NEIL, ZOE, RENE}),
    ("ann+n", {PLUS}), ("ann news@example.com", {PLUS}), ("straße@", {STREET}), ("STRAßE@EX", {STREET}),
    ("o'neil", {NEIL}), ("o’neil", {NEIL}), ("o’neil@example.com", {NEIL}), ("shane o'n", {NEIL}),
    ("d’arcy", {ZOE}), ("zoë d’", {ZOE}),
    (unicodedata.normalize("NFD", "Zoë"), {ZOE}),
    ("René", {RENE}), ("renÉ", {RENE}),
    ("@", EVERYBODY),
    ("x@", {BOOKS}), ("ü" * 400, set()), ("x@" + "ü." * 200, set()), (".", set()), ("x@.", {BOOKS}),
    ("bücher。example", {BOOKS}), ("x@bücher｡ex", {BOOKS}),
    ("x@bücher．example。", {BOOKS}), ("почта。", {POST}),
    ("mail。xn--bcher-kva｡e", {PUNY}), ("bücher.xn--e", set()), ("\u200b", EVERYBODY), ("@.", EVERYBODY),
    ("c++@pl", {CPP}), ("c++", {CPP}), ("c+@pl", set()), ("ann news", {PLUS}), ("ann  news", set()),
    ("o’malley@ir", {MALLEY}), ("o'malley@irish", {MALLEY}),
    ("o'malley", {MALLEY}), ("o’malley@irish", {MALLEY}),
    ("Seán O'Shea", {SEAN}), (unicodedata.normalize("NFD", "seán o’shea"), {SEAN}), ("SEÁN", {SEAN}),
    ("ŉé'’ß ss İx ﬁ", set()), ("a'’é " * 200, set()),
    ("josé", {JOSE}), (unicodedata.normalize("NFD", "josé@ex"), {JOSE}), ("josé@example.net", {JOSE}),
]  # fmt: skip


@pytest.fixture
def people(client):
    named = {
        NEIL: {"first_name": "Shane", "last_name": "O’Neil"},
        ZOE: {"first_name": "Zoë", "last_name": "D'Arcy"},
        SEAN: {"first_name": "Seán", "last_name": "O’Shea"},
        RENE: {"first_name": unicodedata.normalize("NFD", "René")},
    }
    subscribers = [{"email": email} | named.get(email, {}) for email in sorted(EVERYBODY)]
    assert client.post("/batch/subscribers", {"subscribers": subscribers}).status_code == 200
    site_lane.drain(client.site.id, 30)
    return client


def found(answer):
    return {each["attributes"]["email"] for each in response_assertions.answer(answer)["data"]}


@pytest.mark.parametrize("most_found", [0, 10_000])
def test_a_beginning_finds_what_is_shown(people, monkeypatch, most_found):
    monkeypatch.setattr(subscriber_lists, "MOST_FOUND", most_found)
    for text, expected in BEGINNINGS:
        assert found(people.post("/fetch/search", {"q": text})) == expected, text


def test_the_rule_of_a_beginning_finds_whom_it_finds(people):
    site_id = people.site.id
    with database.session():
        everybody = subscriber_lists.ids(site_id, Sql("TRUE"), "created_at")
        for text, _ in BEGINNINGS:
            ids = subscriber_lists.ids(site_id, segments.beginning(site_id, text), "created_at")
            chosen = segments.members_by(site_id, segments.beginning_rule(text))
            assert ids == [each for each in everybody if each in chosen], text


def test_a_plus_that_was_not_encoded_finds_the_address(people):
    for text, email in ((PLUS, PLUS), ("ann+news", PLUS), (CPP, CPP), ("c++@plus", CPP)):
        assert found(people.get("/fetch/search", query={"q": text.replace("+", " ")})) == {email}


@pytest.mark.parametrize(("condition", "expected"), [
    ({"contains": "bücher"}, {BOOKS, PUNY}), ({"contains": "ÜCHER.ex"}, {BOOKS, PUNY}),
    ({"starts_with": "bü"}, {BOOKS}), ({"starts_with": "mail.bü"}, {PUNY}), ({"starts_with": "@bü"}, {BOOKS}),
    ({"contains": "@bü"}, {BOOKS}), ({"contains": "bücher.example."}, {BOOKS, PUNY}),
    ({"starts_with": "поч"}, {POST}),
    ({"contains": ".рф"}, {POST}), ({"contains": "faß"}, {RIVER}), ({"contains": "xn--bcher"}, {BOOKS, PUNY}),
    ({"starts_with": "xn--bcher"}, {BOOKS}), ({"starts_with": "fass.de."}, {SAM}),
    ({"contains": "ss.de"}, {SAM}),
    ({"contains": unicodedata.normalize("NFD", "ücher")}, {BOOKS, PUNY}),
    ({"is": "bücher.example."}, {BOOKS}), ({"is": "@bücher.example"}, {BOOKS}),
    ({"in": ["@faß.de.", "почта.рф"]}, {RIVER, POST}),
    ({"contains": "cher。ex"}, {BOOKS, PUNY}), ({"starts_with": "bücher｡ex"}, {BOOKS}),
    ({"starts_with": "@bücher．example。"}, {BOOKS}), ({"is": "bücher。example｡"}, {BOOKS}),
    ("@fass.de", {SAM}), ({"contains": "org.example"}, set()), ({"contains": "mple.org."}, {STREET}),
])  # fmt: skip
def test_a_rule_finds_domains_as_they_are_shown(people, condition, expected):
    rules = {"all": [{"email_domain": condition}, {"created_at": {"gt": "2001-01-01"}}]}
    created = people.post("/fetch/segments", {"segment": {"name": "A", "rules": rules}})
    segment = response_assertions.answer(created, 201)
    assert found(people.post("/fetch/search", {"segment_id": segment["data"]["id"]})) == expected
    preview = people.post("/fetch/segments/preview", {"segment": {"rules": {"not": rules}}})
    assert response_assertions.answer(preview)["user_count"] == len(EVERYBODY) - len(expected)
