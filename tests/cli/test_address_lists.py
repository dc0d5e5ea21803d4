"""`audience site allow|deny|unlist|lists`, as an operator types them."""

import json

import pytest
from click.testing import CliRunner

from app import instance
from audience.cli import audience
from audience.errors import NotFound, Refused

PATH = "/experimental/validation"


@pytest.fixture
def type_(app, settings):
    def run(*words):
        return CliRunner().invoke(audience, ["site", *words], obj=instance(settings))

    return run


def reasons(door, email):
    return door.post(PATH, {"email": email}).json["reasons"]


def test_what_is_typed_counts_at_that_site_at_once(type_, door, stranger):
    assert type_("allow", door.site.uuid, "mailinator.com", "Ann@example.com").exit_code == 0
    assert type_("deny", door.site.uuid, "example.org").exit_code == 0
    assert reasons(door, "x@mailinator.com") == reasons(door, "ann@example.com") == ["allowed"]
    assert reasons(door, "x@example.org") == ["denied"]
    assert reasons(stranger, "x@mailinator.com") == ["disposable"]
    assert type_("unlist", door.site.uuid, "mailinator.com", "example.org").exit_code == 0
    assert reasons(door, "x@mailinator.com") == ["disposable"]
    assert reasons(door, "x@example.org") == ["reserved_domain"]


@pytest.mark.parametrize(
    "entry", ["no domain", "ann@", "", "a..b", "https://firm.example", "a b@firm.example"]
)
def test_what_is_neither_address_nor_domain_is_refused(type_, door, entry):
    refused = type_("deny", door.site.uuid, entry)
    assert isinstance(refused.exception, Refused)
    assert "such as" in refused.exception.message
    assert type_("lists", door.site.uuid).output == ""


def test_an_entry_is_kept_in_one_spelling(type_, door):
    type_("deny", door.site.uuid, " Ann@Müller.de ", "*.Firm.example", "@spam.example", "ru")
    assert json.loads(type_("lists", door.site.uuid, "--json").output)["deny"] == [
        "ann@xn--mller-kva.de", "firm.example", "spam.example", "ru",
    ]  # fmt: skip
    assert type_("unlist", door.site.uuid, "ann@xn--mller-kva.de").exit_code == 0


def test_the_lists_are_shown(type_, door):
    type_("allow", door.site.uuid, "partner.example")
    type_("deny", door.site.uuid, "spam.example", "bob@partner.example")
    expected = {"allow": ["partner.example"], "deny": ["spam.example", "bob@partner.example"]}
    assert json.loads(type_("lists", door.site.uuid, "--json").output) == expected
    assert type_("lists", door.site.uuid).output.split() == [
        "allow", "partner.example", "deny", "spam.example", "deny", "bob@partner.example",
    ]  # fmt: skip


def test_the_other_list_loses_what_one_gains(type_, door):
    type_("allow", door.site.uuid, "firm.example")
    type_("deny", door.site.uuid, "firm.example")
    assert json.loads(type_("lists", door.site.uuid, "--json").output) == {
        "allow": [],
        "deny": ["firm.example"],
    }


def test_what_is_on_neither_list_or_at_no_site_is_refused(type_, door):
    refused = type_("unlist", door.site.uuid, "firm.example")
    assert isinstance(refused.exception, NotFound)
    assert "audience site lists" in refused.exception.message
    unknown = type_("allow", "00000000-0000-4000-8000-000000000000", "firm.example")
    assert isinstance(unknown.exception, NotFound)
