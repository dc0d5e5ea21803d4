"""Changes to one subscriber by the forms of its page."""

import re

import pytest

from audience.access.audit_log import head, page
from audience.changes.changes import change_from_item
from audience.subscribers import subscribers, tags
from storage import database
from tests.console.browser import signed_in

AT = 1_790_000_000_000


@pytest.fixture
def ann(site):
    item = {"email": "ann@example.com", "tags": ["vip"], "fields": {"plan": "pro", "seats": 2}}
    with database.write():
        subscribers.write(site.id, [change_from_item(item, AT)], subscribers.accept_now(site.id))
    return subscribers.find(site, "ann@example.com")


@pytest.fixture
def path(site, ann):
    return f"/sites/{site.uuid}/subscribers/{ann.uuid}"


@pytest.fixture
def support(app, site):
    return signed_in(app, "sue@example.com", {site: "support"})


@pytest.fixture
def after(site, ann):
    """The subscriber as it is now."""
    return lambda: subscribers.find(site, uuid=ann.uuid)


def newest(site):
    entry = page(site)[0]
    return entry.actor, head(entry), entry.subject


@pytest.mark.parametrize(
    ("fields", "changed", "said"),
    [
        ({"act": "set field", "key": "plan", "type": "text", "value": " it "}, {"plan": "it"}, "field set"),
        ({"act": "set field", "key": "seats", "type": "number", "value": "12"}, {"seats": 12}, "field set"),
        ({"act": "set field", "key": "seats", "type": "number", "value": "2.5"}, {"seats": 2.5}, "field set"),
        ({"act": "set field", "key": "b", "type": "yes or no", "value": "Yes"}, {"b": True}, "field set"),
        ({"act": "set field", "key": "likes", "type": "list", "value": "maps, ,bread"},
         {"likes": ["maps", "bread"]}, "field set"),
        ({"act": "set field", "key": "fit", "type": "object", "value": '{"size": "M"}'},
         {"fit": {"size": "M"}}, "field set"),
        ({"act": "remove field", "key": "plan"}, {"plan": None}, "field removed"),
    ],
)  # fmt: skip
def test_a_field_is_set_as_its_type_and_removed(site, ann, support, path, after, fields, changed, said):
    assert support.post(path, **fields).status_code == 303
    expected = {key: value for key, value in (ann.fields | changed).items() if value is not None}
    assert after().fields == expected
    assert {key: type(after().fields[key]) for key in expected} == {
        key: type(value) for key, value in expected.items()
    }
    assert newest(site) == ("sue@example.com", said, ann.uuid)


@pytest.mark.parametrize("fields", [
    {"act": "change address", "email": ["bob@example.com", "cy@example.com"]},
    {"act": ["unsubscribe", "subscribe"], "reason": "asked"},
    {"act": "untag", "tag": ["vip", "x"]},
    {"act": "remove field", "key": ["plan", "seats"]},
])  # fmt: skip
def test_a_form_that_names_two_changes_nothing(site, ann, support, path, after, fields):
    before = page(site)
    assert support.post(path, **fields).status_code == 422
    assert (after(), page(site)) == (ann, before)


def test_a_name_is_a_field_too(support, path, after):
    support.post(path, act="set field", key="first_name", type="text", value="Anna")
    assert after().first_name == "Anna"


def test_tags_are_put_on_and_taken_off(site, ann, support, path, after):
    names = {tag.id: tag.name for tag in tags.list_all(site)}
    assert support.post(path, act="untag", tag="vip").status_code == 303
    assert (after().tag_ids, newest(site)[1]) == ([], "tag removed")
    assert support.post(path, act="tag", tag="fair, north").status_code == 303
    names = {tag.id: tag.name for tag in tags.list_all(site)}
    assert [names[tag_id] for tag_id in after().tag_ids] == ["fair, north"]
    assert newest(site) == ("sue@example.com", "tag added", ann.uuid)


def test_consent_is_taken_and_given_again_with_a_reason(site, ann, support, path, after):
    support.post(path, act="unsubscribe")
    assert after().unsubscribed_at is not None
    assert newest(site) == ("sue@example.com", "unsubscribed", ann.uuid)
    refused = support.post(path, act="subscribe", reason=" ")
    assert (refused.status_code, after().unsubscribed_at is None) == (422, False)
    assert "Fill this in." in refused.text
    assert support.post(path, act="subscribe", reason="asked by telephone").status_code == 303
    assert after().unsubscribed_at is None
    assert page(site)[0].typed == '{"reason":"asked by telephone"}'


def test_an_address_is_changed_and_the_audit_log_keeps_neither(site, ann, support, path, after):
    assert support.post(path, act="change address", email="anna@example.org").status_code == 303
    assert (after().email, newest(site)) == (
        "anna@example.org", ("sue@example.com", "address changed", ann.uuid),
    )  # fmt: skip
    assert not any("@example.org" in f"{entry}" for entry in page(site))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"act": "set field", "key": "seats", "type": "number", "value": "a dozen"}, "This is not a number"),
        ({"act": "set field", "key": "seats", "type": "number", "value": "nan"}, "Send"),
        ({"act": "set field", "key": "beta", "type": "yes or no", "value": "maybe"}, "Type yes or no"),
        ({"act": "set field", "key": "fit", "type": "object", "value": "[1]"}, "Type a JSON object"),
        ({"act": "set field", "key": "fit", "type": "object", "value": "{" * 9000}, "Type a JSON object"),
        ({"act": "set field", "key": "fit", "type": "colour", "value": "red"}, "Use one of the forms"),
        ({"act": "set field", "key": "", "type": "text", "value": "x"}, "Nothing was saved"),
        ({"act": "tag", "tag": "x" * 300}, "Nothing was saved"),
        ({"act": "tag"}, "Nothing was saved"),
        ({"act": "change address", "email": "no address"}, "without spaces, quotes"),
        ({"act": "delete everything"}, "Use one of the forms"),
        ({}, "Use one of the forms"),
    ],
)
def test_what_is_wrong_is_said_on_the_page_and_changes_nothing(
    site, ann, support, path, after, fields, message
):
    entries = page(site)
    response = support.post(path, **fields)
    assert response.status_code == 422
    assert message in response.text
    assert "ann@example.com" in response.text
    assert after() == ann
    assert page(site) == entries


def test_a_taken_address_is_refused(site, support, path, after):
    with database.write():
        item = change_from_item({"email": "bob@example.com"}, AT)
        subscribers.write(site.id, [item], subscribers.accept_now(site.id))
    response = support.post(path, act="change address", email="bob@example.com")
    assert (response.status_code, subscribers.TAKEN in response.text) == (422, True)
    assert after().email == "ann@example.com"


def test_erasing_asks_first_and_leaves_only_a_hash(site, ann, support, path, after):
    assert support.post(f"{path}/erase").status_code == 422
    assert after() == ann
    sent = support.post(f"{path}/erase", confirmed="on")
    assert sent.status_code == 303
    assert "One subscriber was erased" in support.get(sent.headers["Location"].removeprefix("/console")).text
    assert after() is None
    entry = page(site)[0]
    assert (entry.actor, entry.act) == ("sue@example.com", "subscriber erased")
    assert ann.uuid not in f"{page(site)}"
    assert support.get(path).status_code == 404
    assert support.post(path, act="unsubscribe").status_code == 404


def test_a_viewer_sees_no_forms_but_those_that_ask(app, site, path):
    viewer = signed_in(app, "vic@example.com", {site: "viewer"})
    shown = viewer.get(path).text
    forms = re.findall(r'<form[^>]* action="([^"]+)"', shown.partition("<main")[2])
    assert {action.split("/")[-2] for action in forms} == {"checks"}
    assert viewer.post(path, act="unsubscribe").status_code == 404


def test_nobody_of_another_site_is_changed(app, other_site, path, ann, after):
    stranger = signed_in(app, "eve@example.com", {other_site: "owner"})
    assert stranger.post(path, act="unsubscribe").status_code == 404
    moved = path.replace(path.split("/")[2], other_site.uuid)
    assert stranger.post(moved, act="unsubscribe").status_code == 404
    assert stranger.post(f"{moved}/erase", confirmed="on").status_code in (303, 404)
    assert after() == ann
