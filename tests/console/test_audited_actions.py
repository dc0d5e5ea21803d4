"""The audit log tells what was done, only what was done, and leads to it."""

import json
import re

import pytest

from audience.access import operators, passwords, site_keys, sites
from audience.access.audit_log import Actor, page, record
from audience.console.list_filters import kept_words
from audience.erasures import erasures
from audience.operations import site_lane
from audience.subscribers import commands, subscribers
from schemas.tags import TOO_LONG
from storage import database
from tests.console.browser import signed_in
from tests.console.screens import fill
from tests.jobs import run_bulk_actions

ANN = Actor("ann@example.com", "192.0.2.0/24")


@pytest.fixture
def root(site):
    return f"/sites/{site.uuid}"


@pytest.fixture
def person(site):
    """A subscriber who has the tag vip."""
    fill(site)
    return subscribers.find(site, "p1@a.example")


def acts(site, actor=None):
    return [each.act for each in page(site) if actor in (None, each.actor)]


def test_what_a_person_has_already_is_not_done_again(site, manager, root, person):
    path = f"{root}/subscribers/{person.uuid}"
    for tag in ("vip", "VIP", "new", "new"):
        assert manager.post(path, act="tag", tag=tag).status_code == 303
    manager.post(path, act="untag", tag="never")
    manager.post(path, act="subscribe", reason="asked again")
    assert manager.post(path, act="set field", key="plan", type="text", value="gold").status_code == 303
    assert manager.post(path, act="set field", key="plan", type="text", value="gold").status_code == 303
    manager.post(path, act="change address", email=person.email)
    assert acts(site, "meg@example.com") == ["field set: plan", "tag added: new"]


@pytest.fixture
def begun(site, manager, root, person):
    """The entry of all who match a filter being tagged, as the log has it and as it shows it."""

    def begin(query="", text="", **form):
        if text:
            query = "?" + manager.post(f"{root}/subscribers{query}", text=text).location.partition("?")[2]
        path = f"{root}/subscribers/chosen{query}"
        asked = manager.post(path, act="tag", all="1").text
        [seen] = re.findall(r'name="seen" value="(\w+)"', asked)
        form = {"act": "tag", "tag": "new", "all": "1", "seen": seen} | form
        assert manager.post(f"{root}/acts{query}", **form).status_code == 303
        return page(site)[0]

    return begin


def test_the_filter_of_an_act_on_many_is_in_the_log_until_somebody_is_erased(site, owner, root, begun):
    entry = begun("?status=subscribed&tag=vip", text="p1")
    said = "tag added to many subscribers, started: new, Subscribed, Tag is vip, found by what was typed"
    assert (entry.act, json.loads(entry.typed)) == (said, {"text": "p1"})
    shown = owner.get(f"{root}/audit-log").text
    assert "new, Subscribed, Tag is vip, found by what was typed, p1" in shown
    with database.write(site.id):
        erasures.forget_search_texts(site.id)
    assert (page(site)[0].act, page(site)[0].typed) == (said, "{}")


def test_the_value_that_a_filter_has_is_typed(site, begun, person):
    commands.run(
        site, [{"command": "add_field", "email": person.email, "query": {"fields": {"plan": "gold"}}}]
    )
    entry = begun("?field=plan&value=gold")
    said = "tag added to many subscribers, started: new, plan is what was typed"
    assert (entry.act, json.loads(entry.typed)) == (said, {"value": "gold"})


def test_all_without_a_filter_are_everybody(begun):
    assert begun().act == "tag added to many subscribers, started: new, everybody"


@pytest.mark.parametrize("text", ["p1@a.example", "p1@"])
def test_an_address_that_was_searched_for_is_not_in_the_log(begun, text):
    assert json.loads(begun(text=text).typed) == {"text": "(an address)"}


def test_an_address_in_any_part_of_a_filter_is_not_in_the_log():
    chosen = {"tag": ["of ann@a.example"], "field": "boss", "value": "Bob bob\uff20b.example"}
    words, typed = kept_words(chosen, "", {})
    assert words == "Tag is of (an address), boss is what was typed"
    assert typed == {"value": "Bob (an address)"}


def test_what_is_too_long_is_refused_in_words(site, manager, root, person, begun):
    refused = manager.post(f"{root}/acts", act="tag", all="1", tag="n" * 256)
    assert (refused.status_code, TOO_LONG in refused.text) == (422, True)
    assert f'value="{"n" * 256}"' in refused.text
    path = f"{root}/subscribers/{person.uuid}"
    assert manager.post(path, act="tag", tag="n" * 256).status_code == 422
    manager.post(path, act="unsubscribe")
    refused = manager.post(path, act="subscribe", reason="r" * 501)
    assert (refused.status_code, "Use at most 500 characters." in refused.text) == (422, True)
    assert manager.post(path, act="subscribe", reason="r" * 500).status_code == 303


def test_a_tag_for_many_is_trimmed_as_that_of_the_api(begun):
    assert begun(tag="\u00a0new ").act.startswith("tag added to many subscribers, started: new,")


def test_an_entry_of_a_list_is_put_on_it_once(site, manager, root):
    for entry in ("spam.example", "spam.example", "SPAM.example"):
        manager.post(f"{root}/lists", list="deny", entry=entry)
    manager.post(f"{root}/lists", list="allow", entry="spam.example")
    manager.post(f"{root}/lists/remove", entry="other.example")
    entries = [(each.act, each.subject) for each in page(site)[:2]]
    assert entries == [
        ("added to the allow list", "spam.example"),
        ("added to the deny list", "spam.example"),
    ]
    assert acts(site).count("added to the deny list") == 1


def test_an_address_on_a_list_is_in_the_log_by_its_keyed_hash(site, owner, root):
    owner.post(f"{root}/lists", list="deny", entry="eve@spam.example")
    owner.post(f"{root}/lists/remove", entry="eve@spam.example")
    off, on = page(site)[:2]
    hash_ = site_keys.address_hash(site.id, "eve@spam.example")
    assert (on.subject, off.subject, on.typed) == (hash_, hash_, "{}")
    assert "eve" not in owner.get(f"{root}/audit-log").text


def test_the_role_that_somebody_has_is_not_given_again(app, site, owner, root):
    sue = signed_in(app, "sue@example.com", {site: "support"})
    before = acts(site)
    owner.post(f"{root}/operators", email="sue@example.com", role="support")
    operators.set_role("owner@example.com", sites.create("Other"), None, ANN)
    assert (acts(site), sue.is_signed_in()) == (before, True)
    owner.post(f"{root}/operators", email="sue@example.com", role="viewer")
    assert (acts(site)[0], sue.is_signed_in()) == ("role viewer given", False)


def test_an_administrator_is_not_made_one_again(app, administrator):
    other = signed_in(app, "adam@example.com", administrator=True)
    count = len(page(None))
    administrator.post("/operators/administrator", email="adam@example.com", administrator="1")
    assert (len(page(None)), other.is_signed_in()) == (count, True)


def test_an_unchanged_site_is_not_recorded(site, owner, root):
    before = acts(site)
    owner.post(f"{root}/settings", name=site.name, time_zone=site.time_zone)
    assert acts(site) == before


@pytest.fixture
def undone(site, settings, manager, root, person):
    """The path of an act that tagged six, of whom one has lost the tag since, and that was undone."""
    query = "?tag=vip"
    asked = manager.post(f"{root}/subscribers/chosen{query}", act="tag", all="1")
    seen = asked.text.partition('name="seen" value="')[2].partition('"')[0]
    begun = manager.post(f"{root}/acts{query}", act="tag", all="1", seen=seen, tag="Spring")
    run_bulk_actions(settings.instance)
    manager.post(f"{root}/subscribers/{person.uuid}", act="untag", tag="Spring")
    path = begun.headers["Location"].removeprefix("/console")
    assert manager.post(f"{path}/undo").status_code == 303
    return path


def test_the_log_of_an_undone_act_counts_what_was_put_back(site, undone):
    act = "bulk action " + undone.rpartition("/")[2]
    assert [(each.act, each.subject, each.subjects) for each in page(site)[:1]] == [
        ("tag added to many subscribers, undo requested: Spring", act, 6)
    ]
    site_lane.drain(site.id, 30)
    assert [(each.actor, each.act, each.subject, each.subjects) for each in page(site)[:1]] == [
        ("meg@example.com", "tag added to many subscribers, undone: Spring", act, 6)
    ]


def test_who_took_an_act_back_is_on_its_page_and_the_list_says_so(site, manager, root, undone):
    assert "being undone" in manager.get(f"{root}/acts").text
    site_lane.drain(site.id, 30)
    assert ">undone<" in manager.get(f"{root}/acts").text.replace("\n", "")
    assert "Started by meg@example.com," in manager.get(undone).text.partition("Undone")[2]


def test_the_log_leads_to_the_person_and_to_the_act(app, site, root, undone, person):
    shown = signed_in(app, "olga@example.com", {site: "owner"}).get(f"{root}/audit-log").text
    assert f'href="/console{undone}"' in shown
    assert f'href="/console{root}/subscribers/{person.uuid}"' in shown
    assert "tag added to many subscribers, started: <bdi>Spring, Tag is vip</bdi>" in shown
    assert "tag removed: <bdi>Spring</bdi>" in shown
    assert f"<bdi>bulk action {undone.rpartition('/')[2]}</bdi>" in shown


def test_what_has_no_page_is_no_link(site, owner, root):
    for subject in ("bulk action x", "bulk action 99999999999999999999", "key 1", "autumn 2", "</a>"):
        record(ANN, "tried", site, subject)
    shown = owner.get(f"{root}/audit-log").text
    assert "<a href=" not in shown.partition("<tbody>")[2].partition("</tbody>")[0]


def test_a_download_of_refused_rows_is_recorded(site, manager, root, person):
    answer = manager.get(f"{root}/imports/1/refused.csv")
    rows = answer.text.strip().count("\n")
    entry = page(site)[0]
    assert (entry.actor, entry.act, entry.subject, entry.subjects) == (
        "meg@example.com", "refused rows downloaded", "import 1", rows,
    )  # fmt: skip
    assert rows > 0


def test_the_names_of_tags_outlive_an_erasure(app, site, settings, manager, root, person):
    manager.post(f"{root}/subscribers/{person.uuid}", act="tag", tag="Autumn")
    manager.post(f"{root}/subscribers/{person.uuid}/erase", confirmed="1")
    with database.session():
        assert database.rows("SELECT count(*) FROM audit_log WHERE act = 'tag added: Autumn'") == [(1,)]


def test_an_operators_own_address_is_no_password(app, site):
    browser = signed_in(app, "margarethe@example.com", {site: "viewer"})
    for password in ("margarethe@example.com", " MARGARETHE@example.com "):
        refused = browser.post("/account/password", password=password)
        assert (refused.status_code, passwords.OWN_ADDRESS in refused.text) == (422, True)
    assert browser.post("/account/password", password="margarethe likes herons").status_code == 303


def test_an_operators_own_address_is_no_password_at_the_link_either(app, browser):
    token = operators.add("margarethe@example.com", False, {}, ANN)
    refused = browser.post("/password", token=token, password="margarethe@example.com")
    assert (refused.status_code, passwords.OWN_ADDRESS in refused.text) == (422, True)


@pytest.mark.parametrize(
    "email", ["<script>@x.example", "a..b@x.example", ".a@x.example", "a,b@x.example", "a@b"]
)
def test_what_is_no_address_is_no_operator(administrator, email):
    refused = administrator.post("/operators", email=email)
    assert (refused.status_code, operators.NO_ADDRESS in refused.text) == (422, True)
    mine = administrator.post("/account/email", email=email)
    assert (mine.status_code, operators.NO_ADDRESS in mine.text) == (422, True)


def test_ones_own_address_is_changed_with_the_present_password(app, site):
    browser = signed_in(app, "sue@example.com", {site: "viewer"})
    assert browser.post("/account/email", email="susan@example.com").status_code == 303
    browser.post("/account/password", password="a heron stands in the reeds")
    for present in ("", "a heron stands"):
        refused = browser.post("/account/email", email="eve@example.com", present=present)
        assert (refused.status_code, "not your present password" in refused.text) == (422, True)
    fields = {"email": "sus@example.com", "present": "a heron stands in the reeds"}
    assert browser.post("/account/email", **fields).status_code == 303
    assert [each.email for each, _ in operators.list_all()] == ["sus@example.com"]
