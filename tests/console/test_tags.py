"""Tags and custom fields on the console's page: added, renamed, merged, deleted."""

import pytest

from audience.access.audit_log import page as audit_page
from audience.bulk import actions, field_deletions, tag_renames
from audience.subscribers import custom_fields, subscribers, tags
from tests.console.browser import signed_in
from tests.jobs import run_bulk_actions, run_due


@pytest.fixture
def root(site):
    for number in range(3):
        subscribers.create(
            site, {"email": f"p{number}@a.example", "tags": ["vip", "VIPs"], "fields": {"plan": "pro"}}
        )
    return f"/sites/{site.uuid}/tags"


@pytest.fixture
def manager(app, site, root):
    return signed_in(app, "mara@example.com", {site: "manager"})


def id_of(site, name):
    return tags.get_by_name(site, name).id


def acts(site):
    return [(entry.act, entry.subject) for entry in audit_page(site)]


def test_the_page_lists_tags_and_fields(site, root, manager, app):
    shown = manager.get(root).text
    assert all(text in shown for text in ("VIPs", "plan", "Rename, merge or delete", ">3<"))
    assert (
        "Rename, merge or delete" not in signed_in(app, "vera@example.com", {site: "viewer"}).get(root).text
    )
    assert root in manager.get(f"/sites/{site.uuid}/subscribers").text


def test_a_tag_is_renamed(site, root, manager):
    sent = manager.post(f"{root}/rename", tag=id_of(site, "vip"), name=" Patrons ")
    assert sent.status_code == 303
    shown = manager.get(sent.headers["Location"].removeprefix("/console")).text
    assert "The tag has its new name." in shown
    assert "being renamed" in shown
    run_due(tag_renames.KIND)
    assert {tag.name for tag in tags.list_all(site)} == {"Patrons", "VIPs"}
    assert ("tag renamed: Patrons", "vip") in acts(site)


def test_a_tag_is_merged(site, root, manager):
    tag_id = id_of(site, "VIPs")
    assert manager.post(f"{root}/merge", tag=tag_id, into="VIP").status_code == 303
    assert "being merged" in manager.get(root).text
    refused = manager.post(f"{root}/delete", tag=tag_id)
    assert (refused.status_code, "being renamed or merged" in refused.text) == (422, True)
    run_due(tag_renames.KIND)
    assert [tag.name for tag in tags.list_all(site)] == ["vip"]


@pytest.mark.parametrize(("act", "fields", "message"), [
    ("rename", {"name": "vips"}, "Another tag of the site has this name"),
    ("rename", {"name": " "}, "Send"),
    ("merge", {"into": "none"}, "The site has no other tag with this name"),
    ("merge", {"into": "vip"}, "The site has no other tag with this name"),
])  # fmt: skip
def test_what_is_refused_is_said_on_the_page(site, root, manager, act, fields, message):
    refused = manager.post(f"{root}/{act}", tag=id_of(site, "vip"), **fields)
    assert (refused.status_code, message in refused.text) == (422, True), refused.text


def test_a_tag_is_deleted(site, root, manager):
    assert manager.post(f"{root}/delete", tag=id_of(site, "vip")).status_code == 303
    assert [tag.name for tag in tags.list_all(site)] == ["VIPs"]
    assert manager.post(f"{root}/delete", tag="x").status_code == 404


def test_a_field_is_added_for_a_form_to_ask_for(site, root, manager, app):
    sent = manager.post(f"{root}/add-field", key=" home town ")
    shown = manager.get(sent.headers["Location"].removeprefix("/console")).text
    assert "The site has the custom field" in shown
    assert [field.key for field in custom_fields.list_all(site)] == ["home_town", "plan"]
    for key, message in (("", "letters, digits"), ("first_name", "are built in")):
        refused = manager.post(f"{root}/add-field", key=key)
        assert (refused.status_code, message in refused.text) == (422, True), refused.text
    viewer = signed_in(app, "vera@example.com", {site: "viewer"})
    assert "Add the field" not in viewer.get(root).text
    assert viewer.post(f"{root}/add-field", key="x").status_code == 404


def test_a_field_is_deleted_by_a_bulk_action(site, root, manager, settings):
    [field] = custom_fields.list_all(site)
    sent = manager.post(f"{root}/delete-field", field=field.id)
    [action] = actions.newest(site)
    assert sent.headers["Location"].endswith(f"/acts/{action.id}")
    assert "being deleted" in manager.get(root).text
    run_bulk_actions(settings.instance)
    shown = manager.get(f"/sites/{site.uuid}/acts/{action.id}").text
    assert all(text in shown for text in ("Delete a field of 3", "plan", "Undo, until"))
    assert custom_fields.list_all(site) == []
    assert [act for act, _ in acts(site)][:2] == [
        "custom field deleted: plan",
        "custom field deleted, started: plan",
    ]


def test_a_deletion_that_ends_at_once_leads_to_the_list(site, root, manager, settings, monkeypatch):
    [field] = custom_fields.list_all(site)
    begin = field_deletions.begin

    def begin_and_end(*arguments):
        begun = begin(*arguments)
        run_bulk_actions(settings.instance)
        return begun

    monkeypatch.setattr(field_deletions, "begin", begin_and_end)
    sent = manager.post(f"{root}/delete-field", field=field.id)
    assert sent.headers["Location"].endswith("/tags")


def test_long_lists_come_in_pages(site, root, manager):
    for number in range(120):
        tags.create(site, f"tag {number}")
    first = manager.get(root).text
    assert ("tag 119" in first, "tag 1<" in first, "Older tags" in first) == (True, False, True)
    [older] = [line for line in first.split('"') if "before=" in line]
    assert "tag 1<" in manager.get(older.removeprefix("/console")).text
