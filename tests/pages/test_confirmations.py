"""The pages of a confirmation's links: confirming, declining, too late."""

import re

import pytest

from audience.clock import DAY_MS
from audience.forms import forms
from audience.subscribers import custom_fields, subscribers
from storage import database
from storage.sign_ups import proofs
from storage.sign_ups.sign_ups import CONFIRMED, DECLINED
from tests.pages.applicant import NEXT, ORIGIN, ZOE, Applicant, form_of, hidden
from tests.pages.test_links import POLICY, written
from tests.pages.visitor import command, heading, text
from tests.stored_people import found

__all__ = ["written"]
OPENED = re.compile(r'name="opened" value="\d+"')


@pytest.fixture
def applicant(app, site):
    return Applicant(app.test_client(), site, form_of(site, tags=["weekly"]), {"Origin": ORIGIN})


@pytest.fixture
def path(applicant):
    applicant.sign_up(first_name="Zoë")
    return applicant.confirm_path()


def is_subscribed(site, email=ZOE):
    subscriber = subscribers.find(site, email)
    return subscriber is not None and subscriber.unsubscribed_at is None


def test_no_get_writes(app, applicant, path, written):
    parts = ("pages.forms.", "pages.confirmations.")
    rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint.startswith(parts)]
    assert {rule.rule for rule in rules if "GET" in (rule.methods or ())} == {
        "/forms/<site_uuid>/<number:form_id>", "/confirm", "/confirm/<token>", "/confirm/<token>/decline",
    }  # fmt: skip
    for method in ("GET", "HEAD"):
        for each in (applicant.path, path, f"{path}/decline", f"{path}.", f"{path}?lang=de", "/confirm"):
            page = applicant.http.open(each, method=method, headers={"Sec-Purpose": "prefetch"})
            assert page.status_code == (404 if each == "/confirm" else 200)
    assert written == []


def test_the_page_shows_what_would_be_stored_and_the_address_masked(applicant, path):
    page = applicant.get(path)
    assert heading(page) == "Confirm your sign-up"
    for part in (
        "Shall we send Harbour & Letters to z…@example.com ?", "First name Zoë", "weekly", "harbour.example",
        "You agree.", "Not you?",
    ):  # fmt: skip
        assert part in text(page)
    assert ZOE not in page.text
    assert page.headers["Content-Security-Policy"] == POLICY


def test_a_name_with_a_link_in_it_is_not_shown(applicant):
    applicant.sign_up(first_name="Win at casino.com now")
    assert "casino" not in applicant.get(applicant.confirm_path()).text
    applicant.sign_up("bob@example.com", first_name="Å" * 150)
    assert "Å" * 80 + "<" in applicant.get(applicant.confirm_path()).text


def test_what_is_typed_into_custom_fields_is_shown_under_its_label(applicant):
    with database.write(applicant.site.id):
        custom_fields.ensure(applicant.site.id, ["town", "web"], 1)
    fields = [{"key": "town", "required": False, "labels": {"en": "Where <you> live"}},
              {"key": "web", "required": False}]  # fmt: skip
    forms.change(applicant.site, applicant.form.id, {"fields": fields}, no_mail="")
    applicant.sign_up(**{"fields[town]": "Ø" * 150, "fields[web]": "See casino.com"})
    page = applicant.get(applicant.confirm_path())
    assert f"Where <you> live {'Ø' * 80} " in text(page)
    assert "casino" not in page.text
    with database.write(applicant.site.id):
        database.execute("DELETE FROM custom_fields WHERE site_id = ?", (applicant.site.id,))
    forms.change(applicant.site, applicant.form.id, {"fields": []}, no_mail="")
    assert f"Town {'Ø' * 80} " in text(applicant.get(applicant.confirm_path()))
    assert applicant.http.post(applicant.confirm_path()).status_code == 200
    assert found(applicant.site, ZOE).fields == {"town": "Ø" * 150, "web": "See casino.com"}


def test_confirming_subscribes_once_with_the_proof(applicant, path, later):
    page = applicant.get(path)
    later(12_000)
    answered = applicant.http.post(path, data=hidden(page) | {"by": "script"})
    assert (answered.status_code, heading(answered)) == (200, "You’re in")
    assert "You’ll get Harbour & Letters at z…@example.com ." in text(answered)
    [preferences] = re.findall(
        r'href="http://127.0.0.1:8000(/preferences/[^"]+)">Change what you get<', answered.text
    )
    assert heading(applicant.get(preferences)) == "What you get"
    subscriber = found(applicant.site, ZOE)
    assert (subscriber.first_name, subscriber.unsubscribed_at) == ("Zoë", None)
    with database.session():
        [proof] = proofs.for_subscriber(applicant.site.id, subscriber.id)
    assert (proof.confirmed_by, proof.seconds, proof.confirmed_from) == ("script", 12, "127.0.0.0/24")
    command(applicant.site, "unsubscribe")
    for again in (applicant.http.post(path), applicant.get(path)):
        assert (again.status_code, heading(again), "/preferences/" in again.text) == (200, "You’re in", False)
    assert not is_subscribed(applicant.site)


@pytest.mark.parametrize(
    "body", [b"", b"by=script&opened=x", b"by=script&opened=" + b"9" * 99, b"List-Unsubscribe"]
)
def test_a_post_confirms_whatever_its_body(applicant, path, body):
    assert applicant.http.post(path, data=body).status_code == 200
    assert is_subscribed(applicant.site)


@pytest.mark.parametrize(("confirm", "by_script"), [("script", True), ("click", False)])
def test_a_page_that_waits_for_the_button_has_no_script(applicant, path, confirm, by_script):
    forms.change(applicant.site, applicant.form.id, {"confirm": confirm})
    page = applicant.get(path)
    assert ("<script" in page.text, 'data-by="script"' in page.text) == (by_script, by_script)


def test_the_page_alone_may_be_answered_with_the_owners(applicant, path):
    forms.change(applicant.site, applicant.form.id, {"confirmed_url": NEXT})
    own = "form-action 'self'"
    assert applicant.get(path).headers["Content-Security-Policy"] == POLICY.replace(own, f"{own} {ORIGIN}")
    answered = applicant.http.post(path)
    assert (answered.status_code, answered.headers["Location"]) == (303, NEXT)


def test_declining_has_a_page_with_a_button(applicant, path):
    page = applicant.get(f"{path}/decline")
    assert heading(page) == "Wasn’t it you?"
    assert "Somebody entered z…@example.com in a form of Harbour & Letters" in text(page)
    assert "<script" not in page.text
    declined = applicant.http.post(f"{path}/decline")
    assert (declined.status_code, heading(declined)) == (200, "Deleted")
    assert applicant.newest().status == DECLINED
    assert applicant.http.post(path).status_code == 410
    assert subscribers.find(applicant.site, ZOE) is None


def test_a_sign_up_that_is_confirmed_cannot_be_declined(applicant, path):
    applicant.http.post(path)
    for page in (applicant.get(f"{path}/decline"), applicant.http.post(f"{path}/decline")):
        assert (page.status_code, "To unsubscribe:" in text(page)) == (410, True)
    assert applicant.newest().status == CONFIRMED
    assert is_subscribed(applicant.site)


def test_a_link_that_is_too_old_leads_to_the_form(applicant, path, later):
    later(8 * DAY_MS)
    for page in (applicant.get(path), applicant.http.post(path), applicant.get(f"{path}/decline")):
        assert (page.status_code, heading(page)) == (410, "This link doesn’t work")
        assert f'href="{applicant.path}"' in page.text
    assert subscribers.find(applicant.site, ZOE) is None


def test_a_link_says_no_more_once_its_address_has_left(applicant, path):
    applicant.http.post(path)
    applicant.sign_up()
    second = applicant.confirm_path()
    command(applicant.site, "unsubscribe")
    assert applicant.http.post(second).status_code == 410
    assert not is_subscribed(applicant.site)


def test_bad_links_are_one_page_and_throttled_and_good_ones_never(applicant, path):
    for wrong in (
        "/confirm",
        "/confirm/x",
        path[:-1],
        f"{path}x/decline",
        path.replace("confirm", "unsubscribe"),
    ):
        page = applicant.get(wrong)
        assert (page.status_code, heading(page)) == (404, "This link doesn’t work")
    for _ in range(100):
        applicant.get("/confirm/x")
    assert applicant.get("/confirm/x").status_code == 429
    assert {applicant.get(path).status_code for _ in range(50)} == {200}
    assert {applicant.http.post(path).status_code for _ in range(50)} == {200}
