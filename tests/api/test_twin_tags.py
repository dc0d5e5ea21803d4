"""Tags of before an upgrade that are compared alike since (docs/contract.md, Tags)."""

import pytest

from audience.operations import doctor_database
from audience.operations.diagnostics import Context
from storage import database
from tests import response_assertions
from tests.client import FakeProcesses

NAMES = {"older": "vip\u200d club", "twin": "vip club", "third": "VIP  club", "other": "club"}


@pytest.fixture
def ids(client):
    """Of tags that an older Audience told apart, each of a person of its own, after the upgrade."""
    for name in NAMES:
        client.create(f"{name}@example.com", tags=name)
    with database.write(client.site.id):
        for name, new in NAMES.items():
            database.execute(
                "UPDATE tags SET name = ?, name_key = CASE WHEN name IN ('twin', 'third') THEN "
                "' ' || CAST(id AS text) || ' ' ELSE '' END || ? WHERE site_id = ? AND name = ?",
                (new, "club" if name == "other" else "vip club", client.site.id, name),
            )
    by_name = {each["attributes"]["name"]: each["id"] for each in client.get("/fetch/tags").json["data"]}
    return {name: by_name[new] for name, new in NAMES.items()}


def having(client, **search):
    people = response_assertions.answer(client.post("/fetch/search", search))["data"]
    return {each["attributes"]["email"].partition("@")[0] for each in people}


def segment(client, rules):
    created = client.post("/fetch/segments", {"segment": {"name": "A", "rules": rules}})
    return response_assertions.answer(created, 201)["data"]["id"]


def listed(client):
    return {each["attributes"]["name"] for each in client.get("/fetch/tags").json["data"]}


@pytest.mark.parametrize("name", [*NAMES.values()][:3])
def test_they_stay_several_are_found_as_one_and_new_writes_take_the_older(client, ids, name):
    assert listed(client) == {*NAMES.values()}
    client.create("new@example.com", tags=[name])
    assert client.find("new@example.com")["attributes"]["cached_tag_ids"] == [ids["older"]]
    created = response_assertions.answer(client.post("/fetch/tags", {"tag": {"name": name}}), 201)
    assert created["data"]["id"] == ids["older"]
    everybody = {"older", "twin", "third", "new"}
    assert having(client, tags=[name]) == having(client, tag_names=name) == everybody
    assert having(client, segment_id=segment(client, {"tag": name})) == everybody
    assert having(client, segment_id=segment(client, {"tag": {"in": [name, "none"]}})) == everybody
    assert having(client, segment_id=segment(client, {"tag": {"is_not": name}})) == {"other"}
    assert having(client, tags=[name, "club"]) == set()
    assert having(client, tag_ids=ids["twin"]) == {"twin"}
    assert having(client, tags="club") == {"other"}


def test_what_is_taken_off_by_name_is_gone(client, ids):
    for name in ("older", "twin", "third"):
        client.create(f"{name}@example.com", remove_tags=["vip club"])
        assert client.find(f"{name}@example.com")["attributes"]["cached_tag_ids"] == []
    assert having(client, tags="vip club") == set()
    assert having(client, tags="club") == {"other"}


@pytest.mark.parametrize("deleted", ["older", "twin", "third"])
def test_once_some_are_deleted_the_oldest_of_the_others_has_the_name(client, ids, deleted):
    left = [name for name in ("older", "twin", "third") if name != deleted]
    response_assertions.answer(client.delete(f"/fetch/tags/{ids[deleted]}"))
    assert having(client, tags="vip club") == set(left)
    client.create("new@example.com", tags="vip club")
    assert client.find("new@example.com")["attributes"]["cached_tag_ids"] == [ids[left[0]]]
    response_assertions.answer(client.delete(f"/fetch/tags/{ids[left[0]]}"))
    assert having(client, tags="vip club") == {left[1]}
    response_assertions.answer(client.delete(f"/fetch/tags/{ids[left[1]]}"))
    assert having(client, tags="vip club") == set()
    assert listed(client) == {"club"}


def test_the_doctor_names_them_and_its_advice_takes_the_tag_from_nobody(client, ids, settings):
    [(found, advice)] = warnings(settings)
    older, twin, third = (ids[name] for name in ("older", "twin", "third"))
    assert (
        f'{older} "vip\\u200d club" and {twin} "vip club", {older} "vip\\u200d club" and {third} "VIP'
        in found
    )
    assert advice.index("by its name") < advice.index("Then remove the second tag with DELETE")
    for name in ("twin", "third"):
        for person in having(client, tag_ids=ids[name]):
            client.create(f"{person}@example.com", tags="vip club")
        client.delete(f"/fetch/tags/{ids[name]}")
    assert having(client, tags="vip club") == {"older", "twin", "third"}
    assert warnings(settings) == []


def warnings(settings):
    found = doctor_database.compared_tags(Context(settings, FakeProcesses()))
    return [(each.found, each.advice) for each in found if each.advice]
