"""The pages of a form, as somebody sees them who signs up: the form, the step after it, where to look."""

import re
from email import message_from_bytes
from email.policy import SMTPUTF8
from pathlib import Path

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audience import addresses
from audience.access import address_lists
from audience.access.audit_log import COMMAND_LINE
from audience.clock import MINUTE_MS
from audience.erasures import erasures
from audience.forms import embedding, forms
from audience.looks import looks
from audience.mail import messages
from audience.mail.messages import SignUpAsked
from audience.mail.sender import Sender
from audience.sign_ups import mailboxes, steps
from audience.webhooks import webhooks
from storage import database
from storage.looks import looks as stored_looks
from storage.sign_ups.sign_ups import HELD, WAITING
from tests import depth
from tests.audience.looks.test_looks import sent
from tests.audience.undo.test_undos import put
from tests.pages.applicant import NEXT, ORIGIN, hidden, solve, typed
from tests.pages.test_links import POLICY, WRITES
from tests.pages.visitor import command, heading, text

OF_THE_LIST = re.compile(r"\b(subscribers|suppressions|bounces|former_links|consent_changes)\b")


def test_the_form_has_the_owners_texts_and_writes_nothing(applicant, read):
    page = applicant.get()
    assert (page.status_code, heading(page)) == (200, "Get Harbour & Letters")
    for part in ("News & <boats>", "You agree.", "Privacy", "First name (optional)", "Until you open it"):
        assert part in text(page)
    assert page.headers["Content-Security-Policy"] == POLICY
    assert "<script" not in page.text
    assert not {"Set-Cookie", "Location"} & {*page.headers.keys()}
    assert '<p hidden><label>Leave empty <input name="nickname_2" tabindex="-1"' in page.text
    assert hidden(page) == {"wording": "1"}
    assert [sql for sql in read if WRITES.match(sql)] == []


def test_a_form_is_in_the_languages_of_its_wording(applicant):
    german = applicant.get(f"{applicant.path}?lang=de")
    assert (heading(german), "Sie stimmen zu." in text(german)) == ("Harbour & Letters abonnieren", True)
    assert "?lang=de" in german.text
    assert "Français" not in german.text
    for other in ("?lang=fr", "?lang=x", ""):
        page = applicant.http.get(f"{applicant.path}{other}", headers={"Accept-Language": "fr"})
        assert heading(page) == "Get Harbour & Letters"


def test_the_first_post_stores_nothing_and_answers_the_step(applicant, read):
    page = applicant.ask("Zoë@example.com", first_name="Zoë")
    assert (page.status_code, heading(page)) == (200, "One moment")
    assert "Zoë@example.com" in text(page)
    assert [sql for sql in read if WRITES.match(sql)] == []
    assert applicant.all() == []
    assert page.headers["Content-Security-Policy"] == POLICY


def test_the_second_makes_a_sign_up_of_what_was_typed(applicant):
    page = applicant.send(applicant.ask(" Zoë@Example.com ", first_name=" Zoë ", last_name="x"))
    assert (page.status_code, heading(page)) == (200, "Check your inbox")
    assert "Look for our email to Zoë@Example.com ." in text(page)
    made = applicant.newest()
    assert (made.email, typed(made)) == ("zoë@example.com", {"first_name": "Zoë"})
    assert (made.status, made.language, made.origin, made.version) == (WAITING, "en", ORIGIN, 1)
    assert (made.network, made.agent, made.asked_by) == ("127.0.0.0/24", "Mozilla/5.0", "form")


def test_a_sign_up_has_the_language_and_the_version_that_were_read(applicant):
    forms.change(applicant.site, applicant.form.id, {"wording": {"en": "Anew.", "de": "Neu."}})
    step = applicant.ask(query="?lang=de", wording="1")
    assert heading(step) == "Einen Augenblick"
    applicant.send(step, query="?lang=de")
    assert (applicant.newest().language, applicant.newest().version) == ("de", 1)
    for sent_version, kept in (("2", 2), ("9", 2), ("x", 2), ("٣", 2), ("", 2)):
        assert (
            applicant.sign_up(f"bob{sent_version.encode().hex()}@example.com", wording=sent_version).version
            == kept
        )


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "null", ""])
def test_a_page_of_anybodys_may_ask_and_is_not_noted(applicant, origin):
    applicant.headers = {"Origin": origin} if origin else {}
    assert applicant.sign_up().origin == ""


@pytest.mark.parametrize(("email", "told"), [
    ("", "Please enter an address"), ("zoe", "Please enter an address"),
    ("zoe@fjordpost.exampel", "There is no “fjordpost.exampel”."),
    ("zoe@mailinator.com", "We send no emails to “mailinator.com”."),
])  # fmt: skip
def test_a_problem_of_the_address_is_told_with_what_was_typed(applicant, email, told):
    page = applicant.ask(email, first_name='"Zoë"<b>')
    assert (page.status_code, heading(page)) == (422, "Get Harbour & Letters")
    assert told in text(page)
    assert "Not sent yet." in text(page)
    assert 'value="&#34;Zoë&#34;&lt;b&gt;"' in page.text
    assert 'aria-describedby="email-e"' in page.text
    assert applicant.all() == []


def test_a_typo_is_proposed_and_never_corrected_by_itself(applicant):
    page = applicant.ask("zoe@gmial.com")
    assert "Did you mean zoe@gmail.com ?" in text(page)
    assert 'name="email_use" value="zoe@gmail.com"' in page.text
    buttons = re.findall(r'<(?:button|input type="submit")[^>]*>', page.text)
    assert "name=" not in buttons[0]  # what the key Enter presses
    kept = applicant.ask("zoe@gmial.com", email_keep="zoe@gmial.com")
    assert (heading(kept), "zoe@gmial.com" in text(kept)) == ("One moment", True)
    assert "zoe@gmail.com" in text(applicant.ask("zoe@gmial.com", email_use="zoe@gmail.com"))
    assert heading(applicant.ask("zoe@gnail.com", email_keep="zoe@gmial.com")) != "One moment"
    alike = applicant.ask("\ufb01ona@example.com", email_keep="\ufb01ona@example.com")
    assert "Did you mean fiona@example.com ?" in text(alike)
    assert "email_keep" not in alike.text


def test_a_field_that_is_needed_is_asked_for(applicant):
    forms.change(
        applicant.site, applicant.form.id, {"fields": [{"key": "last_name", "required": True}]}, no_mail=""
    )
    page = applicant.ask(first_name="Zoë")
    assert (page.status_code, "Please fill this in." in text(page)) == (422, True)
    made = applicant.sign_up(first_name="Zoë", last_name="Å" * 300)
    assert typed(made) == {"last_name": "Å" * 200}


@pytest.mark.parametrize("name", ["Zo\0e", f"https://people.example/unsubscribe/{'a' * 40}.{'b' * 43}"])
def test_a_name_that_cannot_be_stored_is_none(applicant, name):
    made = applicant.sign_up(first_name=name)
    assert typed(made) == {}
    assert applicant.http.post(applicant.confirm_path()).status_code == 200


@pytest.mark.parametrize("wording", ["0", "00", "1", "3", "x", "\u0663", "9" * 30])
def test_a_sign_up_names_a_wording_that_there_is(applicant, wording):
    """Also of a page that was copied when the form had no such language."""
    site, form_id = applicant.site, applicant.form.id
    forms.change(site, form_id, {"wording": {"en": "You agree.", "fr": "Vous acceptez."}}, no_mail="")
    applicant.send(applicant.ask(query="?lang=fr", wording=wording))
    made = applicant.newest()
    assert (made.version, made.language) == (2, "fr")
    assert forms.wording(site, form_id, made.version, made.language) == "Vous acceptez."


@pytest.mark.parametrize(("url", "origin"), [
    ("https://пример.example/x", "https://xn--e1afmkfd.example"),
    ("https://Harbour.Example:443/x", "https://harbour.example"),
])  # fmt: skip
def test_the_policy_has_the_next_page_as_browsers_write_it(applicant, url, origin):
    forms.change(applicant.site, applicant.form.id, {"origins": [url], "next_url": url})
    assert f"form-action 'self' {origin};" in applicant.ask().headers["Content-Security-Policy"]


def test_the_step_alone_may_be_answered_with_the_next_page(applicant):
    forms.change(applicant.site, applicant.form.id, {"next_url": NEXT})
    step = applicant.ask()
    own = "form-action 'self'"
    assert step.headers["Content-Security-Policy"] == POLICY.replace(own, f"{own} {ORIGIN}")
    assert applicant.get().headers["Content-Security-Policy"] == POLICY
    answered = applicant.send(step)
    assert (answered.status_code, answered.headers["Location"]) == (303, NEXT)


def test_the_answer_and_its_statements_are_the_same_whoever_asks(applicant, read):
    site = applicant.site
    for name in ("subscribed", "unsubscribed", "erased", "unconfirmed"):
        put(site, {"email": f"{name}@example.com", "unconfirmed": name == "unconfirmed"})
    command(site, "unsubscribe", "unsubscribed@example.com")
    erasures.erase(site, Path(), "erased@example.com")
    applicant.sign_up()
    answers, sent_statements = set(), set()
    for name in ("unknown", "subscribed", "unsubscribed", "erased", "unconfirmed"):
        step = applicant.ask(f"{name}@example.com")
        data = hidden(step) | {"solution": solve(step)}
        read.clear()
        page = applicant.http.post(f"{applicant.path}/send", data=data, headers=applicant.headers)
        answers.add((page.status_code, page.text.replace(name, "NAME")))
        sent_statements.add(tuple(read))
    assert len(answers) == 1
    assert len(sent_statements) == 1
    assert [sql for sql in sent_statements.pop() if OF_THE_LIST.search(sql)] == []


def test_the_answer_is_the_same_where_no_email_goes_out(applicant, later):
    """Over the cap of the mailbox, to whom declined, to a denied address, and in the trap."""
    site = applicant.site
    address_lists.add(site, "deny", "denied@example.com")
    with database.write(site.id):
        mailboxes.note_declined(site, "declined@example.com")
        assert mailboxes.reserve(site, "capped@example.com")
    found = set()
    for name in ("unknown", "capped", "declined", "denied", "trapped"):
        step = applicant.ask(f"{name}@example.com", **({"nickname_2": "x"} if name == "trapped" else {}))
        later(3_000)
        page = applicant.send(step, solution="")
        found.add((page.status_code, page.text.replace(name, "NAME"), tuple(sorted(page.headers.keys()))))
    assert len(found) == 1
    assert "Check your inbox" in found.pop()[1]


def test_the_trap_takes_the_script_away_and_holds(applicant, later):
    step = applicant.ask(nickname_2="x")
    assert ("<script" in step.text, "data-nonce" in step.text) == (False, False)
    later(3_000)
    trapped = applicant.send(step, solution="")
    assert (applicant.newest().status, applicant.newest().reason) == (HELD, "trapped")
    assert trapped.text == applicant.send(applicant.ask()).text


def test_a_step_that_is_old_or_from_elsewhere_or_not_solved_is_shown_anew(applicant, later):
    step = applicant.ask()
    wrong = applicant.send(step, solution="1:00")
    assert (heading(wrong), hidden(wrong)["step"] == hidden(step)["step"]) == ("One moment", False)
    data = hidden(step) | {"solution": solve(step)}
    moved = applicant.http.post(
        f"{applicant.path}/send", data=data, environ_overrides={"REMOTE_ADDR": "198.51.100.7"}
    )
    assert heading(moved) == "One moment"
    later(16 * MINUTE_MS)
    old = applicant.send(step)
    assert heading(old) == "One moment"
    assert applicant.all() == []
    assert heading(applicant.send(old)) == "Check your inbox"


def test_a_text_that_nobody_signed_is_a_bad_link(applicant):
    for data in ({}, {"step": "x"}, {"step": hidden(applicant.ask())["step"] + "x"}):
        assert applicant.http.post(f"{applicant.path}/send", data=data).status_code == 404
    assert applicant.get(f"{applicant.path}/send").status_code == 405
    assert applicant.get(f"/forms/{applicant.site.uuid}/99").status_code == 404
    assert applicant.get("/forms/x/1").status_code == 404
    assert applicant.all() == []


def test_whose_email_to_look_for_is_said_where_it_is_ours(applicant):
    with database.write(applicant.site.id):
        stored_looks.put(applicant.site.id, {"mail_from": "letters@harbour.example"})
    said = "It comes from"
    assert f"{said} letters@harbour.example" in text(applicant.send(applicant.ask()))
    webhook, _ = webhooks.create(applicant.site, {"url": "https://hook.example/", "sign_ups": True})
    forms.change(applicant.site, applicant.form.id, {"delivery": str(webhook.id)})
    assert said not in text(applicant.send(applicant.ask("other@example.com")))


@pytest.mark.parametrize("state", ["paused", "archived"])
def test_a_form_that_is_not_open_says_so(applicant, state):
    step = applicant.ask()
    forms.set_state(applicant.site, applicant.form.id, state)
    for page in (applicant.get(), applicant.ask(), applicant.send(step)):
        assert (page.status_code, heading(page)) == (200, "No sign-ups at the moment")
        assert "The link in your email still works." in text(page)
    assert applicant.all() == []


@pytest.mark.parametrize("text", ["Z\0o", f"https://a.example/unsubscribe/{'A' * 44}.{'A' * 43}"])
def test_what_cannot_be_stored_is_left_out(applicant, text):
    assert typed(applicant.sign_up(first_name=text)) == {}
    page = applicant.ask(f"{text}@example.com")
    assert (page.status_code, "Please enter an address" in page.text) == (422, True)


def test_a_body_of_any_kind_does_no_harm(applicant):
    for kind, body in (("text/plain", b"email=a"), ("multipart/form-data; boundary=x", b"--x"), (None, None)):
        for path in (applicant.path, f"{applicant.path}/send"):
            page = applicant.http.post(path, data=body, content_type=kind)
            assert page.status_code in (404, 422)
    assert applicant.http.post(applicant.path, data={"email": "a" * 70_000}).status_code == 413
    assert applicant.ask("a" * 10_000).status_code == 422


LOCAL = st.lists(st.sampled_from([*"\r\n\0\v <>()[]:;,\\\"'=?@.+az", "%0d%0a", "Bcc:", "=?q?"]), max_size=12)


@hypothesis.settings(
    max_examples=depth.examples(200),
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture],
)
@given(
    LOCAL.map("".join),
    st.sampled_from(["@firm.org", "@firm.org\r\nBcc: bob@firm.org", "@firm.org,bob@firm.org"]),
)
def test_whatever_is_typed_is_no_address_or_one(applicant, local, rest):
    applicant.headers = {"X-Forwarded-For": "192.0.2.7"}
    page = applicant.ask(f"{local}@firm.org{rest}", first_name=local)
    if heading(page) != "One moment":
        assert page.status_code == 422
        return
    step = steps.read(applicant.site, applicant.form.id, hidden(page)["step"])
    assert step
    email = addresses.identity(step.email)
    asked = SignUpAsked("", 0, 0, "https://people.example/confirm/a", "")
    sender = Sender("Harbour", "news@harbour.example", "", "", "", "", "", "UTC")
    message = messages.confirmation("en", sender, email, "s-1@harbour.example", asked)
    read = message_from_bytes(message.as_bytes(policy=SMTPUTF8), policy=SMTPUTF8)
    assert ([*read.keys()].count("To"), read["Bcc"], len(read["To"].addresses)) == (1, None, 1)


def test_the_html_of_the_documentation_is_what_is_copied(app, site):
    look = sent(name=site.name, privacy="https://harbour.example/privacy", base_url="")
    looks.change(site, look, b"", False, COMMAND_LINE)
    form = forms.create(site, {"name": "Website", "language": "en"}, no_mail="")
    html = embedding.html(site, form, "en", "https://people.example.com")
    shown = html.replace(site.uuid, "0199f0a2-6a39-4f0a-9c3e-2f60d1c7a58b")
    assert f"```html\n{shown}```" in (Path(__file__).parents[2] / "docs" / "sign-up.md").read_text("utf-8")
