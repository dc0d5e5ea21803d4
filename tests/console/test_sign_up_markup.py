"""No markup of a visitor, an owner or a mail server becomes markup: on pages, in the console, in emails."""

from collections import Counter

from audience.access.audit_log import COMMAND_LINE
from audience.errors import Refused
from audience.forms import forms
from audience.looks import looks
from audience.mail import messages
from audience.mail.messages import SignUpAsked
from audience.mail.sender import Sender
from schemas.base import is_clean_text
from storage import database
from storage.sign_ups import sign_ups as stored
from tests import depth
from tests.answers.corpora import all_payloads
from tests.console.test_consent_page import LOOK
from tests.pages.visitor import tags_of
from tests.sign_up_steps import BASE, ask, confirm, token
from tests.stored_people import found

PLAIN, KEPT = "Zoë", 150
PAYLOADS = [text for text in all_payloads() if is_clean_text(text)][:: 20 if depth.whole else 200]


def note_answer(site, sign_up, said):
    with database.write(site.id):
        stored.change({"status": "failed", "said": said}, site_id=site.id, id=sign_up.id)


def pages(app, manager, site, waiting, number, typed):
    """All pages that show a name, a wording, or what a mail server said."""
    http, email = app.test_client(), f"p{number}@example.com"
    texts = {name: {"en": typed} for name in ("wording", "intro", "thanks")}
    form = forms.create(site, {"name": typed[:60], "language": "en", "state": "open"} | texts, no_mail="")
    sign_up = ask(site, form, email, first_name=typed[:KEPT], last_name=typed[:KEPT])
    note_answer(site, waiting, typed)
    link, here = f"/confirm/{token(site, sign_up)}", f"/sites/{site.uuid}"
    answered = [http.get(f"/forms/{site.uuid}/{form.id}"), http.get(link), http.get(f"{link}/decline")]
    confirm(site, sign_up)
    subscriber = f"{here}/subscribers/{found(site, email).uuid}"
    paths = (f"{here}/forms/{form.id}", f"{here}/sign-ups?status=failed", subscriber, f"{subscriber}/consent")
    answered += [http.get(link), *map(manager.get, paths)]
    forms.set_state(site, form.id, "paused")
    assert {page.status_code for page in answered} == {200}, typed
    return [
        Counter(
            (tag, *attributes) for tag, attributes in tags_of(page) if tag != "wbr"
        )  # of ours, in long words
        for page in answered
    ]


def test_none_becomes_markup_on_any_page(app, manager, site):
    looks.change(site, LOOK | {"privacy": "https://harbour.example/privacy"}, b"", False, COMMAND_LINE)
    waiting = ask(site, forms.create(site, {"name": "First"}), "waiting@example.com")
    plain = pages(app, manager, site, waiting, 0, PLAIN)
    tried = 0
    for number, payload in enumerate(PAYLOADS, 1):
        typed = payload.encode(errors="replace").decode()[:1_000]
        try:
            drawn = pages(app, manager, site, waiting, number, typed)
        except Refused:
            continue
        tried += 1
        for page, expected in zip(drawn, plain, strict=True):
            assert not page - expected, (payload, page - expected)
    assert tried > len(PAYLOADS) // 2


def test_an_email_is_plain_text_whatever_its_sender_is_called():
    asked = SignUpAsked("https://a.example", 0, 0, f"{BASE}/confirm/a", f"{BASE}/confirm/a/decline")
    for payload in PAYLOADS:
        sender = Sender(payload, "a@example.com", payload, "", "", "", "", "UTC")
        message = messages.confirmation("en", sender, "ann@example.com", "s-1@example.com", asked)
        assert [part.get_content_type() for part in message.walk()] == ["text/plain"]
