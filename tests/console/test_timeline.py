"""Since when and by what a subscriber is subscribed or left, and what was changed by hand."""

import re

import pytest

from audience.access import keys
from audience.access.audit_log import Actor
from audience.bulk import actions as bulk_actions
from audience.segments import segments
from audience.sources import Source
from audience.subscribers import commands, subscribers
from tests.console.test_file_uploads import keep, start
from tests.jobs import run_bulk_actions

EMAIL = "ann@a.example"


@pytest.fixture
def page(site, manager):
    """The text of the subscriber's page."""

    def read():
        text = manager.get(path(site)).text
        plain = re.sub(r"<[^>]+>", " ", text.partition("<main")[2])
        return re.sub(r"\s+", " ", plain).replace(" ,", ",")

    return read


def path(site):
    found = subscribers.find(site, email=EMAIL)
    assert found is not None
    return f"/sites/{site.uuid}/subscribers/{found.uuid}"


def act(site, manager, **fields):
    assert manager.post(path(site), **fields).status_code == 303


def test_a_file_brought_them_and_an_operator_took_them_off(site, manager, page):
    start(manager, keep(manager, f"/sites/{site.uuid}/imports", f"email\n{EMAIL}\n", "fair.csv"), site)
    assert re.search(r"subscribed since [^,]+, by import 1, fair\.csv", page())
    act(site, manager, act="unsubscribe")
    assert re.search(r"unsubscribed since [^,]+, by hand, meg@example.com", page())
    act(site, manager, act="subscribe", reason="asked by telephone")
    assert re.search(r"subscribed since [^,]+, by hand, asked by telephone, meg@example.com", page())
    assert "Subscribed, by hand, asked by telephone meg@example.com" in page()
    assert "Created, by import 1, fair.csv" in page()
    assert "Unsubscribed, by hand meg@example.com" in page()


def test_an_act_on_many_is_named_with_who_did_it(site, manager, page, tmp_path):
    ids = [subscribers.create(site, {"email": email}).id for email in (EMAIL, "b@a.example")]
    new = bulk_actions.NewAction(kind="unsubscribe", ids=ids, seen=bulk_actions.fingerprint(ids))
    action_id = bulk_actions.begin(site, new, Actor("olga@example.com")).id
    run_bulk_actions(tmp_path)
    said = rf"by bulk action {action_id} on 2 subscribers"
    assert re.search(rf"unsubscribed since [^,]+, {said}, olga@example.com", page())
    assert f"Unsubscribed, {said} olga@example.com" in page()


@pytest.mark.parametrize(("kind", "words"), [("tag", "Tag added"), ("untag", "Tag removed")])
def test_tags_put_on_and_taken_off_many_are_told_with_who(site, page, manager, tmp_path, kind, words):
    ids = [
        subscribers.create(site, {"email": email, "tags": ["vip"] if kind == "untag" else []}).id
        for email in (EMAIL, "b@a.example")
    ]
    new = bulk_actions.NewAction(kind=kind, ids=ids, seen=bulk_actions.fingerprint(ids), tag="vip")
    action_id = bulk_actions.begin(site, new, Actor("olga@example.com")).id
    run_bulk_actions(tmp_path)
    assert f"{words}, vip, by bulk action {action_id} on 2 subscribers olga@example.com" in page()


def test_a_key_is_named(site, manager, page):
    keys.create([site], name="sign-up form")
    key = keys.list_all(site)[0]
    source = Source("api", key.id)
    subscribers.create(site, {"email": EMAIL}, source)
    commands.run(site, [{"command": "unsubscribe", "email": EMAIL}], source)
    assert re.search(r"unsubscribed since [^,]+, by the key sign-up form", page())
    commands.run(site, [{"command": "add_tag", "email": EMAIL, "query": "vip"}], source)
    assert "Tag added, vip, by the key sign-up form" in page()


def test_someone_who_left_before_changes_were_kept(site, manager, page):
    subscribers.create(site, {"email": EMAIL, "unsubscribed_at": 1_790_000_000_000})
    assert "Unsubscribed" in page()


def test_what_was_changed_by_hand_is_in_the_timeline(site, manager, page):
    subscribers.create(site, {"email": EMAIL})
    act(site, manager, act="tag", tag="vip")
    assert "Tag added, vip meg@example.com" in page()
    act(site, manager, act="set field", key="plan", type="text", value="pro")
    assert "Field set, plan meg@example.com" in page()


def test_the_rules_of_a_segment_tell_why(site, manager, page):
    subscribers.create(site, {"email": EMAIL, "tags": ["vip"], "fields": {"plan": "pro"}})
    rules = {"all": [{"tag": "vip"}, {"not": {"field": "plan", "is": "pro"}}]}
    segment = segments.create(site, {"name": "Some", "rules": rules})
    assert "Is this person in …? Segment Some Explain" in page()
    text = manager.get(f"{path(site)}?segment={segment.id}").text
    plain = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text))
    assert "not in it" in plain
    assert "All of these match: no" in plain
    assert "tag is vipvip: yes" in plain
    assert "plan is propro: yes" in plain
    assert manager.get(f"{path(site)}?segment=999").status_code == 404


def test_what_changed_is_told_with_what_changed_it(site, manager, page):
    subscribers.create(site, {"email": EMAIL, "fields": {"plan": "basic"}})
    text = f"email,first_name,plan,tags\n{EMAIL},Ann,pro,vip\n"
    start(manager, keep(manager, f"/sites/{site.uuid}/imports", text, "fair.csv"), site)
    assert "Changed, first name, tags, plan, by import 1, fair.csv" in page()
    act(site, manager, act="tag", tag="by hand")
    assert page().count("Changed,") == 1
