"""Adding one person by hand: the question of files, asked of one, and everything that is refused."""

import re
import threading

import pytest

from audience.access import audit_log
from audience.changes import pages as change_pages
from audience.erasures import erasures
from audience.sources import COMMAND_LINE, SourceKind
from audience.subscribers import commands, custom_fields, subscribers
from tests.console.browser import open_browser, signed_in

TABS = 4
ANN = "ann@example.com"
LINK = "/unsubscribe/" + "a" * 40 + "." + "b" * 43


@pytest.fixture
def support(app, site):
    return signed_in(app, "sue@example.com", {site: "support"})


@pytest.fixture
def path(site):
    return f"/sites/{site.uuid}/subscribers/new"


@pytest.fixture
def add(support, path):
    """Sends the form, answered with yes; returns the response."""
    return lambda email=ANN, consent="subscribed", **fields: support.post(
        path, email=email, consent=consent, **fields
    )


def seen(page):
    return " ".join(re.sub(r"<[^>]+>", " ", page.text.partition("<main")[2]).split()).replace(" ,", ",")


def shown(browser, response):
    return seen(browser.get(response.headers["Location"].removeprefix("/console")))


def log(site):
    return [entry for entry in audit_log.page(site) if entry.act.startswith("added")]


def subscriber(site, email=ANN):
    found = subscribers.find(site, email)
    assert found is not None
    return found


def test_the_question_is_asked_and_nothing_is_chosen(support, site, path):
    listed = support.get(f"/sites/{site.uuid}/subscribers").text
    assert f'href="/console{path}"' in listed
    page = support.get(path).text
    assert "May this person be written to?" in page
    values = re.findall(r'type="radio" name="consent" value="(\w+)"([^>]*)', page)
    assert [value for value, _ in values] == ["subscribed", "unsubscribed", "unconfirmed"]
    assert not any("checked" in rest for _, rest in values)
    refused = support.post(path, email=ANN)
    assert refused.status_code == 422
    assert "Choose one of the answers." in refused.text
    assert f'value="{ANN}"' in refused.text
    assert subscribers.find(site, ANN) is None


def test_a_viewer_sees_no_way_to_it(app, site, path):
    viewer = signed_in(app, "viewer@example.com", {site: "viewer"})
    assert path not in viewer.get(f"/sites/{site.uuid}/subscribers").text
    assert viewer.get(path).status_code == 404


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        ("subscribed", "subscribed", "has agreed"),
        ("unsubscribed", "unsubscribed", "may not be written to"),
        ("unconfirmed", "unconfirmed", "has not confirmed yet"),
    ],
)
def test_the_answer_is_kept_with_who_gave_it(support, site, add, answer, status, said):
    added = add(consent=answer, first_name="Ann", last_name="Lee", tags="vip, new")
    assert added.status_code == 303
    ann = subscriber(site)
    assert (ann.first_name, ann.last_name, len(ann.tag_ids)) == ("Ann", "Lee", 2)
    assert subscribers.status(ann) == status
    page = shown(support, added)
    assert "The person was added." in page
    assert f"Created, by hand, {said} sue@example.com" in page
    record = seen(support.get(f"/sites/{site.uuid}/subscribers/{ann.uuid}/consent"))
    assert f"Created, by hand, {said}, sue@example.com" in record
    [entry] = log(site)
    assert (entry.actor, entry.act, entry.subject) == ("sue@example.com", f"added: {said}", ann.uuid)
    changes = change_pages.page(site, 0, 10).changes
    assert {(change.uuid, change.source[0]) for change in changes} == {(ann.uuid, SourceKind.OPERATOR)}


def test_the_command_line_is_named_once(support, site):
    sent = {"email": ANN, "command": "unsubscribe"}
    ann = subscribers.add(site, sent, "may not be written to", audit_log.COMMAND_LINE, COMMAND_LINE)
    command = {"command": "subscribe", "email": ANN}
    typed = {"reason": "asked"}
    commands.run_by_hand(site, command, audit_log.COMMAND_LINE, "subscribed", typed, COMMAND_LINE)
    page = seen(support.get(f"/sites/{site.uuid}/subscribers/{ann.uuid}"))
    assert "Created, on the command line, may not be written to" in page
    assert "Subscribed, on the command line, asked" in page
    assert page.count("command line") == page.count("on the command line")


def test_an_owner_reads_the_answer_in_the_audit_log(owner, site, add):
    add()
    assert "added: has agreed" in seen(owner.get(f"/sites/{site.uuid}/audit-log"))


def test_the_answer_outlives_the_erasure_of_somebody_else(support, site, add, tmp_path):
    add()
    add("bob@example.com")
    erasures.erase(site, tmp_path, email="bob@example.com")
    assert "has agreed" in seen(support.get(f"/sites/{site.uuid}/subscribers/{subscriber(site).uuid}"))


def test_custom_fields_are_of_their_type_and_the_type_is_suggested(support, site, path, add):
    subscribers.create(site, {"email": "old@example.com", "fields": {"plan": "pro", "seats": 2, "vip": True}})
    custom_fields.create(site, "likes")
    page = support.get(path).text
    types = re.findall(r'name="type-(\w+)".*?</select>', page, re.DOTALL)
    assert sorted(types) == ["likes", "plan", "seats", "vip"]
    chosen = {
        key: re.findall(r"<option selected>([^<]+)", page.partition(f'name="type-{key}"')[2])[0]
        for key in ("plan", "seats", "vip")
    }
    assert chosen == {"plan": "text", "seats": "number", "vip": "yes or no"}
    fields = {"field-seats": "12", "type-seats": "number", "field-plan": " it ", "type-plan": "text",
              "field-likes": "maps, bread", "type-likes": "list", "field-vip": ""}  # fmt: skip
    assert add(**fields).status_code == 303
    assert subscriber(site).fields == {"seats": 12, "plan": "it", "likes": ["maps", "bread"]}


@pytest.mark.parametrize(
    ("fields", "name", "message"),
    [
        ({"email": ""}, "email", "Send this value"),
        ({"email": "ann"}, "email", "Send an address of the form"),
        ({"first_name": LINK}, "first_name", "Leave this value out"),
        ({"tags": "x" * 300}, "tags", "Send tag names of at most 255 characters."),
        ({"field-seats": "many", "type-seats": "number"}, "field-seats", "This is not a number"),
        ({"field-seats": LINK, "type-seats": "text"}, "field-seats", "Leave this value out"),
        ({"field-seats": "1", "type-seats": "colour"}, "field-seats", "Use one of the forms"),
        ({"consent": "maybe"}, "consent", "Send subscribed, unsubscribed or unconfirmed."),
    ],
)
def test_what_is_wrong_stands_beside_its_field_and_what_was_typed_stays(site, add, fields, name, message):
    custom_fields.create(site, "seats")
    refused = add(**{"last_name": "O'Leary & sons", **fields})
    assert refused.status_code == 422
    page = refused.text
    assert "Nothing was saved." in page
    [problem] = re.findall(rf'id="{re.escape(name)}-problem">([^<]*)', page)
    assert problem.startswith(message)
    if name != "consent":
        assert f'aria-describedby="{name}-problem"' in page
        assert 'value="subscribed" required checked' in page
    assert "O&#39;Leary &amp; sons" in page
    for typed in fields.values():
        assert typed in ("maybe", "colour") or typed in page
    assert subscribers.find(site, ANN) is None
    assert log(site) == []


def test_a_form_without_fields_is_refused(support, path):
    assert support.post(path).status_code == 422


def test_all_that_is_wrong_is_said_at_once(site, add):
    custom_fields.create(site, "seats")
    page = add("", "", tags="x" * 300, **{"field-seats": "many", "type-seats": "number"}).text
    assert re.findall(r'id="([\w-]+)-problem"', page) == ["email", "tags", "field-seats", "consent"]


@pytest.mark.parametrize("answer", ["subscribed", "unsubscribed", "unconfirmed"])
@pytest.mark.parametrize(
    ("before", "said"),
    [
        ({}, "This person is a subscriber already: nothing was changed."),
        ({"command": "unsubscribe"}, "This person has unsubscribed: nothing was changed."),
        ({"unconfirmed": True}, "This person has not confirmed yet: nothing was changed."),
    ],
)
def test_somebody_who_is_there_is_linked_and_stays_as_they_are(site, add, before, said, answer):
    ann = subscribers.create(site, {"email": ANN, "first_name": "Ann"} | before)
    refused = add(" Ann@EXAMPLE.com ", answer, first_name="Eve", tags="new")
    assert refused.status_code == 422
    assert said in refused.text
    assert f'/console/sites/{site.uuid}/subscribers/{ann.uuid}"' in refused.text
    assert subscriber(site) == ann
    assert log(site) == []


@pytest.mark.parametrize("answer", ["subscribed", "unsubscribed", "unconfirmed"])
@pytest.mark.parametrize("spelling", [ANN, "  ANN@Example.COM", "\uff21nn@example.com", "ann@example.com."])
def test_somebody_who_was_erased_stays_erased(site, add, tmp_path, answer, spelling):
    subscribers.create(site, {"email": ANN})
    erasures.erase(site, tmp_path, email=ANN)
    refused = add(spelling, answer)
    assert refused.status_code == 422
    assert subscribers.find(site, ANN) is None
    if spelling != "ann@example.com.":  # which is no address
        assert "This address was erased from the site: nothing was saved." in refused.text
        assert "the command" not in refused.text
    assert log(site) == []
    assert commands.run(site, [{"command": "subscribe", "email": ANN}]).done == 1


@pytest.mark.parametrize("answer", ["subscribed", "unconfirmed"])
def test_an_address_that_somebody_unsubscribed_and_left_stays_unsubscribed(support, site, add, answer):
    subscribers.create(site, {"email": ANN, "command": "unsubscribe"})
    commands.run(site, [{"command": "change_email", "email": ANN, "query": "a.lee@example.com"}])
    added = add("ANN@example.com", answer)
    assert added.status_code == 303
    assert subscribers.status(subscriber(site)) == "unsubscribed"
    assert (
        "Somebody with this address had unsubscribed before: the person was added as unsubscribed."
        in shown(support, added)
    )
    assert "who had unsubscribed before under this address" in shown(support, added)


def test_a_double_press_adds_one_and_another_address_in_the_same_form_another(support, site, add):
    first, second = add(form="token"), add(form="token")
    assert second.headers["Location"] == f"{first.headers['Location'].partition('?')[0]}?done=again"
    assert len(log(site)) == 1
    assert add("bob@example.com", form="token").status_code == 303
    assert subscriber(site, "bob@example.com")


def test_of_several_tabs_one_adds_and_the_others_are_told(app, site, support, path):
    ready, answers = threading.Barrier(TABS), []

    def send(number):
        tab = open_browser(app)
        tab.http.set_cookie(tab.cookie, support.token, domain="localhost", path="/console")
        ready.wait(30)
        answers.append(tab.post(path, email=ANN, consent="subscribed", form=f"tab {number}"))

    threads = [threading.Thread(target=send, args=(number,)) for number in range(TABS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(answer.status_code for answer in answers) == [303] + [422] * (TABS - 1)
    assert len(log(site)) == 1


def test_a_field_that_was_deleted_meanwhile_keeps_what_was_typed(add):
    page = add(**{"field-gone": "many", "type-gone": "number"}).text
    assert re.findall(r'id="field-gone" name="field-gone" value="(\w+)"', page) == ["many"]
    assert "This is not a number" in page


def test_a_form_that_names_two_addresses_adds_nobody(site, add):
    assert add([ANN, "bob@example.com"]).status_code == 422
    assert subscribers.find(site, ANN) is None


def test_markup_stays_text(support, site, add):
    markup = "<img src=x onerror=alert(1)>"
    added = add(first_name=markup, tags=markup, consent="subscribed")
    page = support.get(added.headers["Location"].removeprefix("/console")).text
    assert markup not in page
    assert "&lt;img src=x" in page
    assert markup not in add(first_name=markup).text
