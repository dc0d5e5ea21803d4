"""A subscriber's consent: each event on their page, and on a page to print."""

import re

from audience.access.audit_log import Actor
from audience.links import unsubscribing
from audience.links.links import UNSUBSCRIBE, Links, read
from audience.looks import looks
from audience.subscribers import commands, subscribers
from tests.pages.visitor import text
from tests.sign_up_steps import ask, confirm, make_form

EMAIL = "ann@a.example"
LOOK = {"name": "Harbour Letters", "home": "", "imprint": "https://harbour.example/imprint", "privacy": "",
        "language": "", "accent": "", "base_url": ""}  # fmt: skip


def left(site, reason):
    person = subscribers.create(site, {"email": EMAIL, "first_name": "Ann"})
    url = Links(site, "https://people.example").urls(person.uuid, person.email_key)[UNSUBSCRIBE]
    link = read(UNSUBSCRIBE, url.rpartition("/")[2])
    assert link is not None
    unsubscribing.unsubscribe(link, reason)
    return f"/sites/{site.uuid}/subscribers/{person.uuid}"


def card(page, heading):
    inner = page.text.partition(f"<h2>{heading}</h2>")[2].partition("</section>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", inner).split())


def test_the_subscribers_page_has_each_event_and_leads_to_the_page_to_print(site, manager):
    path = left(site, "too_many")
    page = manager.get(path)
    assert "Unsubscribed , by a link in an email, too many emails" in card(page, "Consent")
    assert "Created" in card(page, "Consent")
    assert f'href="/console{path}/consent"' in page.text


def test_many_events_are_shown_in_part_and_whole_on_the_page_to_print(site, manager):
    path = left(site, "")
    for number in range(6):
        commands.run(site, [{"email": EMAIL, "command": ("subscribe", "unsubscribe")[number % 2]}])
    assert "5 of 8 shown" in card(manager.get(path), "Consent")
    whole = card(manager.get(f"{path}/consent"), "What happened")
    assert (whole.count("Subscribed"), whole.count("Unsubscribed"), whole.count("Created")) == (3, 4, 1)


def test_the_page_to_print_says_who_sends_and_who_printed(site, manager):
    path = left(site, "never_signed_up")
    looks.change(site, LOOK, b"", False, Actor("olga@example.com"))
    shown = text(manager.get(f"{path}/consent"))
    assert f"{EMAIL} is unsubscribed from Harbour Letters since" in shown
    assert "by a link in an email, never signed up" in shown
    assert "Harbour Letters , https://harbour.example/imprint" in shown
    assert re.search(r"Printed \d+ \w+ \d{4}, \d\d:\d\d:\d\d , by meg@example.com", shown)


def test_the_page_to_print_has_the_proof_of_a_sign_up(site, manager):
    form = make_form(site, wording={"en": "Ann may be written to."})
    confirm(site, ask(site, form, email=EMAIL, network="192.0.2.0/24", origin="https://static.example"))
    person = subscribers.find(site, EMAIL)
    assert person
    page = manager.get(f"/sites/{site.uuid}/subscribers/{person.uuid}/consent")
    proof = card(page, "Proof of the sign-up")
    assert "form 1, wording 1 (en)" in proof
    assert "Ann may be written to." in proof
    assert ", from 192.0.2.0/24, on https://static.example" in proof
    assert ", from 198.51.100.0/24, by the button after 4 s" in proof


def test_of_nobody_it_is_404(site, manager):
    path = f"/sites/{site.uuid}/subscribers/00000000-0000-7000-8000-000000000000/consent"
    assert manager.get(path).status_code == 404
