"""The lists of allowed and denied addresses, changed on their page."""

import pytest

from audience.access import address_lists
from audience.access.audit_log import page
from audience.answers.service import Answers
from audience.answers.validation.email_tables import bundled
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
        "removed from the lists", "added to the allow list", "added to the deny list",
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


@pytest.fixture
def put(app, site, settings):
    """Changes a list of the instance as an administrator; returns the response and the file's text."""
    administrator = signed_in(app, "amy@example.com", {site: "viewer"}, administrator=True)

    def run(entry, place, name="validation/disposable"):
        response = administrator.post("/own-lists", site=site.uuid, name=name, entry=entry, place=place)
        file = settings.instance / f"{name}.txt"
        return response, file.read_text() if file.exists() else ""

    return run


def test_an_administrator_changes_the_lists_of_the_instance(put, site, settings):
    response, text = put("Throw.Away.org", "more")
    assert (response.status_code, text) == (303, "Throw.Away.org\n")
    assert put("throw.away.org", "fewer")[1] == "-throw.away.org\n"
    assert put("mailinator.com", "fewer")[1] == "-throw.away.org\n-mailinator.com\n"
    assert put("throw.away.org", "neither")[1] == "-mailinator.com\n"
    assert oct((settings.instance / "validation" / "disposable.txt").stat().st_mode)[-3:] == "600"
    acts = [(entry.act, entry.subject) for entry in page(None)[:2]]
    assert acts == [
        ("own entry dropped from the list validation/disposable", "throw.away.org"),
        ("removed from the bundled list validation/disposable", "mailinator.com"),
    ]
    answers = Answers(settings)
    assert answers.tables.disposable == bundled().disposable - {"mailinator.com"}


def test_remarks_stay(put, settings):
    (settings.instance / "moderation").mkdir()
    (settings.instance / "moderation" / "adult.txt").write_text("# ours\n\nstripper\n")
    assert put("Stripper", "neither", "moderation/adult")[1] == "# ours\n\n"


@pytest.mark.parametrize(
    ("entry", "place", "name"),
    [
        ("", "more", "moderation/adult"),
        ("-a.org", "more", "validation/free"),
        ("no domain", "more", "validation/free"),
        ("a\nb", "more", "moderation/adult"),
        ("a" * 255, "more", "moderation/adult"),
        ("a.org", "less", "validation/free"),
        ("a.org", "more", "../pepper"),
    ],
)
def test_what_is_no_entry_of_the_instances_lists_is_refused(put, entry, place, name):
    response, text = put(entry, place, name)
    assert (response.status_code, text) == (422, "")


def test_who_is_no_administrator_changes_no_list_of_the_instance(owner, site, settings):
    sent = {"site": site.uuid, "name": "validation/free", "entry": "a.org", "place": "more"}
    assert owner.post("/own-lists", **sent).status_code == 404
    assert not (settings.instance / "validation").exists()
