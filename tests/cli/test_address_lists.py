"""`audience site allow|deny|unlist|lists`."""

import json

import pytest
from click.testing import CliRunner

from app import instance
from audience.cli.main import audience
from audience.errors import NotFound, Refused

PATH = "/experimental/validation"


@pytest.fixture
def type_(app, settings):
    def run(*words):
        return CliRunner().invoke(audience, ["site", *words], obj=instance(settings))

    return run


def reasons(client, email):
    return client.post(PATH, {"email": email}).json["reasons"]


def test_an_entry_applies_to_its_site_at_once(type_, client, other_client):
    assert type_("allow", client.site.uuid, "mailinator.com", "Ann@example.com").exit_code == 0
    assert type_("deny", client.site.uuid, "example.org").exit_code == 0
    assert reasons(client, "x@mailinator.com") == reasons(client, "ann@example.com") == ["allowed"]
    assert reasons(client, "x@example.org") == ["denied"]
    assert reasons(other_client, "x@mailinator.com") == ["disposable"]
    assert type_("unlist", client.site.uuid, "mailinator.com", "example.org").exit_code == 0
    assert reasons(client, "x@mailinator.com") == ["disposable"]
    assert reasons(client, "x@example.org") == ["reserved_domain"]


@pytest.mark.parametrize(
    "entry", ["no domain", "ann@", "", "a..b", "https://firm.example", "a b@firm.example"]
)
def test_an_entry_that_is_neither_address_nor_domain_is_refused(type_, client, entry):
    refused = type_("deny", client.site.uuid, entry)
    assert isinstance(refused.exception, Refused)
    assert "such as" in refused.exception.message
    assert type_("lists", client.site.uuid).output == ""


def test_an_entry_is_stored_in_one_spelling(type_, client):
    type_("deny", client.site.uuid, " Ann@Müller.de ", "*.Firm.example", "@spam.example", "ru")
    assert json.loads(type_("lists", client.site.uuid, "--json").output)["deny"] == [
        "ann@xn--mller-kva.de", "firm.example", "spam.example", "ru",
    ]  # fmt: skip
    assert type_("unlist", client.site.uuid, "ann@xn--mller-kva.de").exit_code == 0


def test_the_lists_are_shown(type_, client):
    type_("allow", client.site.uuid, "partner.example")
    type_("deny", client.site.uuid, "spam.example", "bob@partner.example")
    expected = {"allow": ["partner.example"], "deny": ["spam.example", "bob@partner.example"]}
    assert json.loads(type_("lists", client.site.uuid, "--json").output) == expected
    assert type_("lists", client.site.uuid).output.split() == [
        "allow", "partner.example", "deny", "spam.example", "deny", "bob@partner.example",
    ]  # fmt: skip


def test_an_entry_moves_between_the_lists(type_, client):
    type_("allow", client.site.uuid, "firm.example")
    type_("deny", client.site.uuid, "firm.example")
    assert json.loads(type_("lists", client.site.uuid, "--json").output) == {
        "allow": [],
        "deny": ["firm.example"],
    }


def test_an_unlisted_entry_or_an_unknown_site_is_refused(type_, client):
    refused = type_("unlist", client.site.uuid, "firm.example")
    assert isinstance(refused.exception, NotFound)
    assert "audience site lists" in refused.exception.message
    unknown = type_("allow", "00000000-0000-4000-8000-000000000000", "firm.example")
    assert isinstance(unknown.exception, NotFound)
