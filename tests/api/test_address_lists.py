"""The operator's allow and deny lists, in settings and per site, take precedence over every rule."""

import pytest

from app import create_app
from audience.access import address_lists
from audience.config import Settings
from storage import database
from tests import response_assertions
from tests.client import FakeLimiter, FakeProcesses, FakeQueue, open_client

PATHS = ["/experimental/validation", "/experimental/strict_ruleset"]


def reasons(client, email, path=PATHS[0], **options):
    answer = response_assertions.answer(client.post(path, {"email": email}, **options))
    assert answer["valid"] is (answer["reasons"] != ["denied"])
    return answer["reasons"]


@pytest.mark.parametrize("path", PATHS)
def test_a_list_applies_only_to_its_site(client, other_client, answers_client, path):
    address_lists.add(client.site, "allow", "mailinator.com")
    address_lists.add(client.site, "deny", "ann@firm.org")
    assert reasons(client, "bob@sub.mailinator.com", path) == ["allowed"]
    assert reasons(client, "ANN@firm.org", path) == ["denied"]
    assert reasons(client, "bob@firm.org", path) == []
    for other in (other_client, answers_client):
        assert reasons(other, "ann@firm.org", path) == []
        answer = response_assertions.answer(other.post(path, {"email": "bob@sub.mailinator.com"}))
        assert answer["reasons"] == ["disposable"]
    named = {"site_uuid": client.site.uuid}
    assert reasons(answers_client, "ann@firm.org", path, query=named) == ["denied"]


def test_a_listed_address_has_an_extreme_score(client):
    address_lists.add(client.site, "allow", "mailinator.com")
    address_lists.add(client.site, "deny", "firm.org")
    allowed, denied = (
        response_assertions.answer(client.post(PATHS[0], {"email": email}))
        for email in ("ann@mailinator.com", "ann@firm.org")
    )
    assert (allowed["score"], denied["score"]) == (1.0, 0.0)


def test_the_closer_entry_wins_and_an_entry_is_on_one_list_only(client):
    address_lists.add(client.site, "deny", "firm.org")
    address_lists.add(client.site, "allow", " Ann@Firm.org ")
    assert reasons(client, "ann@firm.org") == ["allowed"]
    assert reasons(client, "bob@firm.org") == ["denied"]
    address_lists.add(client.site, "allow", "FIRM.ORG")
    assert reasons(client, "bob@firm.org") == ["allowed"]
    assert address_lists.remove(client.site, "Firm.org")
    assert reasons(client, "bob@firm.org") == []


def test_the_settings_apply_to_every_site(tmp_path):
    settings = Settings(
        instance=tmp_path, allow_addresses=("partner.example",), deny_addresses=("müller.de", "ann@gmail.com")
    )
    app = create_app(settings, FakeQueue(), FakeLimiter(), FakeProcesses())
    database.migrate()
    client = open_client(app.test_client())
    assert reasons(client, "bob@partner.example") == ["allowed"]
    assert reasons(client, "bob@xn--mller-kva.de") == ["denied"]
    assert reasons(client, "Ann@gmail.com") == ["denied"]
    address_lists.add(client.site, "allow", "ann@gmail.com")
    assert reasons(client, "ann@gmail.com") == ["denied"]


@pytest.mark.parametrize(
    "email", ["\ud800@firm.org", "ann@\udfff.org", "a\0@firm.org", "@firm.org", "@", "." * 300 + "@a"]
)
def test_a_hostile_address_matches_no_list_or_that_of_its_domain(client, email):
    address_lists.add(client.site, "deny", "firm.org")
    answer = response_assertions.answer(client.post(PATHS[0], {"email": email}))
    assert answer["valid"] is False
    assert answer["reasons"] in (["syntax"], ["denied"])
