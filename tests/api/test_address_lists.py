"""The operator's allow and deny lists, in settings and per site: they decide before every rule."""

import pytest

from app import create_app
from audience import address_lists
from audience.config import Settings
from storage import database
from tests import shapes
from tests.door import Fit, Patient, Rung, open_door

PATHS = ["/experimental/validation", "/experimental/strict_ruleset"]


def reasons(door, email, path=PATHS[0], **options):
    answer = shapes.answer(door.post(path, {"email": email}, **options))
    assert answer["valid"] is (answer["reasons"] != ["denied"])
    return answer["reasons"]


@pytest.mark.parametrize("path", PATHS)
def test_a_list_speaks_for_its_own_site_alone(door, stranger, asker, path):
    address_lists.add(door.site, "allow", "mailinator.com")
    address_lists.add(door.site, "deny", "ann@firm.org")
    assert reasons(door, "bob@sub.mailinator.com", path) == ["allowed"]
    assert reasons(door, "ANN@firm.org", path) == ["denied"]
    assert reasons(door, "bob@firm.org", path) == []
    for other in (stranger, asker):
        assert reasons(other, "ann@firm.org", path) == []
        answer = shapes.answer(other.post(path, {"email": "bob@sub.mailinator.com"}))
        assert answer["reasons"] == ["disposable"]
    named = {"site_uuid": door.site.uuid}
    assert reasons(asker, "ann@firm.org", path, query=named) == ["denied"]


def test_the_score_of_a_listed_address_is_outright(door):
    address_lists.add(door.site, "allow", "mailinator.com")
    address_lists.add(door.site, "deny", "firm.org")
    allowed, denied = (
        shapes.answer(door.post(PATHS[0], {"email": email}))
        for email in ("ann@mailinator.com", "ann@firm.org")
    )
    assert (allowed["score"], denied["score"]) == (1.0, 0.0)


def test_the_closer_entry_wins_and_an_entry_is_on_one_list_alone(door):
    address_lists.add(door.site, "deny", "firm.org")
    address_lists.add(door.site, "allow", " Ann@Firm.org ")
    assert reasons(door, "ann@firm.org") == ["allowed"]
    assert reasons(door, "bob@firm.org") == ["denied"]
    address_lists.add(door.site, "allow", "FIRM.ORG")
    assert reasons(door, "bob@firm.org") == ["allowed"]
    assert address_lists.remove(door.site, "Firm.org")
    assert reasons(door, "bob@firm.org") == []


def test_the_settings_speak_for_every_site(tmp_path):
    settings = Settings(
        instance=tmp_path, allow_addresses=("partner.example",), deny_addresses=("müller.de", "ann@gmail.com")
    )
    app = create_app(settings, Rung(), Patient(), Fit())
    database.migrate()
    door = open_door(app.test_client())
    assert reasons(door, "bob@partner.example") == ["allowed"]
    assert reasons(door, "bob@xn--mller-kva.de") == ["denied"]
    assert reasons(door, "Ann@gmail.com") == ["denied"]
    address_lists.add(door.site, "allow", "ann@gmail.com")
    assert reasons(door, "ann@gmail.com") == ["denied"]


@pytest.mark.parametrize(
    "email", ["\ud800@firm.org", "ann@\udfff.org", "a\0@firm.org", "@firm.org", "@", "." * 300 + "@a"]
)
def test_a_hostile_address_is_on_no_list_or_on_its_domains(door, email):
    address_lists.add(door.site, "deny", "firm.org")
    answer = shapes.answer(door.post(PATHS[0], {"email": email}))
    assert answer["valid"] is False
    assert answer["reasons"] in (["syntax"], ["denied"])
