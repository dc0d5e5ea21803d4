"""The lists of allowed and denied addresses, changed on their page."""

import pytest

from audience import address_lists
from audience.audit_log import page
from tests.console.browser import signed_in


@pytest.fixture
def path(site):
    return f"/sites/{site.uuid}/lists"


def both(site):
    lists = address_lists.for_site(site)
    return lists.allow, lists.deny


def test_an_entry_is_put_on_a_list_moved_and_taken_off(site, owner, path):
    assert owner.post(path, list="deny", entry="Spam.example").status_code == 303
    assert both(site) == ((), ("spam.example",))
    owner.post(path, list="allow", entry="spam.example")
    assert both(site) == (("spam.example",), ())
    assert "spam.example" in owner.get(path).text
    owner.post(f"{path}/remove", entry="spam.example")
    assert both(site) == ((), ())
    assert [entry.act for entry in page(site)[:3]] == [
        "taken off the lists", "put on the allow list", "put on the deny list",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "fields", [{"list": "deny", "entry": "no entry"}, {"list": "grey", "entry": "a.example"}]
)
def test_what_is_no_entry_is_refused_on_the_page(site, owner, path, fields):
    refused = owner.post(path, **fields)
    assert (refused.status_code, 'role="alert"' in refused.text, both(site)) == (422, True, ((), ()))


def test_support_sees_the_lists_and_changes_nothing(app, site, path):
    support = signed_in(app, "sue@example.com", {site: "support"})
    assert "<form" not in support.get(path).text.partition("<main")[2]
    assert support.post(path, list="deny", entry="a.example").status_code == 404
    assert both(site) == ((), ())


def test_the_operators_own_lists_of_the_instance_are_shown(owner, path, settings):
    assert "of all sites" not in owner.get(path).text
    (settings.instance / "moderation").mkdir()
    (settings.instance / "moderation" / "insults.txt").write_text("# ours\nbanana head\n-bollocks\n")
    text = owner.get(path).text
    assert "moderation/insults.txt" in text
    assert "+ <bdi>banana head</bdi>" in text
    assert "− <bdi>bollocks</bdi>" in text
    assert "adult.txt" not in text
    (settings.instance / "validation").mkdir()
    (settings.instance / "validation" / "free.txt").write_text("-\n")
    refused = owner.get(path)
    assert (refused.status_code, "free.txt" in refused.text) == (422, True)
