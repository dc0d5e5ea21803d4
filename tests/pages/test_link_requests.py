"""The page on which anybody has the links of an address mailed: the same for all, and what then goes out."""

import re
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pytest

from audience import clock, jobs
from audience.access import address_lists, sites
from audience.access.audit_log import COMMAND_LINE
from audience.clock import HOUR_MS, MINUTE_MS
from audience.config import Settings
from audience.erasures import erasures
from audience.forms import forms
from audience.looks import looks, senders
from audience.looks.looks import LANGUAGES
from audience.mail.relay import Relay
from audience.mail.results import LATER, PAUSED, REFUSED, UNSURE
from audience.sign_ups import link_requests
from storage import database
from storage.instance import state as instance_state
from storage.sign_ups import link_requests as stored
from tests.audience.looks.test_looks import sent
from tests.audience.undo.test_undos import put
from tests.mail_server import DROPS, MailServer, serving
from tests.pages.applicant import hidden, solve
from tests.pages.test_forms import OF_THE_LIST
from tests.pages.test_links import POLICY, WRITES
from tests.pages.visitor import ZOE, Visitor, command, heading, text
from tests.sign_up_steps import FakeRelay, send_links

TITLE = "Unsubscribe, or change what you get"
SENDER = {"mail_from": "letters@harbour.example", "mail_name": "", "reply_to": "hello@harbour.example"}
LINK = re.compile(r"^https?://[^/]+(/(unsubscribe|preferences)/\S+)$", re.MULTILINE)


@pytest.fixture
def settings(settings):
    return replace(settings, smtp_url="smtp+plain://127.0.0.1:25")


@pytest.fixture
def site(app):
    return site_with_mail("Harbour Letters")


def site_with_mail(name):
    site = sites.create(name)
    looks.change(site, sent(base_url="", language="en"), b"", False, COMMAND_LINE)
    senders.change(site, SENDER, True, COMMAND_LINE)
    return site


@pytest.fixture
def asker(app, site):
    return Asker(app.test_client(), site)


class Asker(Visitor):
    """Somebody on the page, whose browser solves the challenge."""

    @property
    def path(self):
        return f"/leave/{self.site.uuid}"

    def step(self, email=ZOE, query=""):
        return self.post(f"{self.path}{query}", {"email": email})

    def send(self, step, solution=None, query=""):
        data = hidden(step) | {"solution": solve(step) if solution is None else solution}
        return self.post(f"{self.path}/send{query}", data)

    def ask(self, email=ZOE):
        """Without the pages before it."""
        link_requests.accept(self.site, email, "en", self.base_url)

    @property
    def base_url(self):
        return self.http.application.extensions["audience"].settings.base_url

    def mailed(self, relay=None):
        """What goes out now."""
        relay = relay or FakeRelay()
        send_links(self.site, relay, self.base_url)
        return relay.mails


class Killed(BaseException):
    """As a worker that is killed: nothing handles it."""


def killed(*_, **__):
    raise Killed


@database.session()
def waiting(site):
    return stored.REQUESTS.find(site_id=site.id)


@database.session()
def jobs_left(site):
    return "links" in jobs.due_kinds(site.id)


def test_it_asks_for_an_address_and_get_writes_nothing(asker, read):
    page = asker.get(asker.path)
    assert (page.status_code, heading(page)) == (200, TITLE)
    assert page.headers["Content-Security-Policy"] == POLICY
    assert not {"Set-Cookie", "Location"} & {*page.headers.keys()}
    assert "<script" not in page.text
    assert 'href="mailto:hello@harbour.example"' in page.text
    assert [sql for sql in read if WRITES.match(sql)] == []


def test_the_first_post_stores_nothing_and_answers_the_step(asker, read):
    page = asker.step("Zoë@example.com")
    assert (page.status_code, heading(page)) == (200, "One moment")
    assert "Zoë@example.com" in text(page)
    assert "sign up people" not in text(page)
    assert [sql for sql in read if WRITES.match(sql)] == []
    assert page.headers["Content-Security-Policy"] == POLICY


@pytest.mark.parametrize("email", ["", "zoe", "@example.com", "<b>@"])
def test_what_is_no_address_is_told_with_what_was_typed(asker, email):
    page = asker.step(email)
    assert (page.status_code, heading(page)) == (422, TITLE)
    assert "Please enter an address" in text(page)
    assert "<b>@" not in page.text
    assert waiting(asker.site) == []


def test_a_typo_is_proposed_and_never_corrected_by_itself(asker):
    page = asker.step("zoe@gmial.com")
    assert (page.status_code, heading(page)) == (422, TITLE)
    assert "Did you mean zoe@gmail.com ?" in text(page)
    buttons = re.findall(r'<(?:button|input type="submit")[^>]*>', page.text)
    assert "name=" not in buttons[0]  # what the key Enter presses
    for choice, meant in (("email_use", "zoe@gmail.com"), ("email_keep", "zoe@gmial.com")):
        assert f'name="{choice}" value="{meant}"' in page.text
        step = asker.post(asker.path, {"email": "zoe@gmial.com", choice: meant})
        assert (heading(step), meant in text(step)) == ("One moment", True)


def test_who_is_on_the_list_is_mailed_both_links(asker):
    put(asker.site, {"email": ZOE})
    with serving(MailServer()) as server:
        assert heading(asker.send(asker.step(" Zoe@Example.com "))) == "Check your inbox"
        send_links(asker.site, Relay(Settings(smtp_url=server.url)), asker.base_url)
    [taken] = server.taken
    assert (taken.recipients, taken.message["Subject"]) == ([ZOE], "Your links at Harbour & Letters")
    links = {purpose: path for path, purpose in LINK.findall(taken.text)}
    assert heading(asker.get(links["preferences"])) == "What you get"
    asker.post(links["unsubscribe"])
    assert not asker.is_subscribed()
    assert (waiting(asker.site), jobs_left(asker.site)) == ([], False)


def test_the_email_is_in_the_language_of_the_page(asker, later):
    for language in LANGUAGES:
        step = asker.step(query=f"?lang={language}")
        later(4_000)
        page = asker.send(step, "", query=f"?lang={language}")
        assert f'<html lang="{language}">' in page.text
    assert [one.language for one in waiting(asker.site)] == [*LANGUAGES][:5]


def states(site, folder):
    """Five addresses that differ by what the list knows of them."""
    for name in ("in", "left", "erased", "other"):
        put(site, {"email": f"{name}@example.com"})
    command(site, "unsubscribe", "left@example.com")
    erasures.erase(site, folder, "erased@example.com")
    address_lists.add(site, "deny", "other@example.com")
    return ("in", "left", "erased", "other", "none")


def test_the_answers_and_their_statements_are_the_same_whoever_asks(asker, read, later, tmp_path):
    answers, traces = [], []
    for name in states(asker.site, tmp_path):
        step = asker.step(f"{name}@example.com")
        later(4_000)
        read.clear()
        answers.append(asker.send(step, "").text.replace(f"{name}@", "x@"))
        traces.append([re.sub(r"\d+|'[^']*'", "?", sql) for sql in read])
    assert len(set(answers)) == 1
    assert all(trace == traces[0] for trace in traces)
    assert not any(OF_THE_LIST.search(sql) for sql in traces[0])
    assert any(WRITES.match(sql) for sql in traces[0])


def test_only_who_has_a_row_is_mailed_also_unsubscribed(asker, tmp_path):
    for name in states(asker.site, tmp_path):
        asker.ask(f"{name}@example.com")
    assert {mail.recipient for mail in asker.mailed()} == {"in@example.com", "left@example.com"}
    assert (waiting(asker.site), jobs_left(asker.site)) == ([], False)


def test_whoever_is_unsubscribed_reads_so_behind_the_links(asker):
    put(asker.site, {"email": ZOE})
    command(asker.site, "unsubscribe")
    asker.ask()
    [mail] = asker.mailed()
    for path, _ in LINK.findall(mail.text):
        assert heading(asker.get(path)) == "You’re unsubscribed"


class TestWithoutMail:
    @pytest.fixture(params=["server", "sender"])
    def lacks(self, request):
        return request.param

    @pytest.fixture
    def settings(self, settings, lacks):
        return replace(settings, smtp_url="") if lacks == "server" else settings

    def test_it_says_whom_to_write_to(self, asker, lacks):
        if lacks == "sender":
            senders.change(asker.site, dict.fromkeys(SENDER, ""), True, COMMAND_LINE)
        told = "write to hello@harbour.example" if lacks == "server" else "answer one of them"
        for page in (asker.get(asker.path), asker.step()):
            assert (page.status_code, heading(page)) == (200, TITLE)
            assert told in text(page)
            assert "<form" not in page.text
        assert waiting(asker.site) == []


def test_a_step_is_of_this_page_of_one_network_and_of_one_site(asker, app, still):
    step = asker.step()
    other = Asker(app.test_client(), site_with_mail("Other"))
    assert other.send(step).status_code == 404
    assert asker.post(f"{asker.path}/send", {"step": "x"}).status_code == 404
    assert asker.get(f"{asker.path}/send").status_code == 405
    assert heading(asker.send(step, "0:00")) == "One moment"
    assert heading(asker.send(step, "")) == "One moment"
    assert "That was quick." in text(asker.send(step, ""))
    form = forms.create(
        asker.site, {"name": "x", "wording": {"en": "You agree."}, "state": "open"}, no_mail=""
    )
    data = hidden(step) | {"solution": solve(step)}
    assert asker.post(f"/forms/{asker.site.uuid}/{form.id}/send", data).status_code == 404
    assert waiting(asker.site) == []


def test_a_large_body_and_an_unknown_site_are_told(asker):
    assert asker.step("x" * 20_000).status_code == 413
    assert asker.get("/leave/0199f0a2-6a39-4f0a-9c3e-2f60d1c7a58b").status_code == 404


@pytest.mark.parametrize(("script", "mails", "minutes"), [
    ([(LATER, "451 later")] * 2, 3, 7), ([(PAUSED, "421 busy")] * 2, 1, 3), ([(REFUSED, "550 no")], 1, 0),
    ([(UNSURE, "broke off")] * 2, 2, 2), ([(LATER, "451 later"), (UNSURE, "broke off")], 3, 7),
    ([(PAUSED, "421 busy"), (UNSURE, "broke off")], 2, 7),
    ([(UNSURE, "broke off"), (LATER, "451 later")], 3, 62),
])  # fmt: skip
def test_what_the_server_does_not_take_now_goes_later_under_one_id(asker, later, script, mails, minutes):
    put(asker.site, {"email": ZOE})
    asker.ask()
    relay = FakeRelay()
    relay.script = list(script)
    began = clock.now_ms()
    while waiting(asker.site):
        asker.mailed(relay)
        later(MINUTE_MS)
    assert (len(relay.mails), len({mail.message_id for mail in relay.mails})) == (mails, 1)
    assert clock.now_ms() - began <= (minutes + 2) * MINUTE_MS


def test_a_server_that_takes_nothing_for_a_day_ends_it(asker, later):
    put(asker.site, {"email": ZOE})
    asker.ask()
    relay, hours = FakeRelay(), 0
    relay.script = [(LATER, "451 later")] * 100
    while waiting(asker.site):
        asker.mailed(relay)
        later(HOUR_MS)
        hours += 1
    assert hours in (25, 26)
    assert not jobs_left(asker.site)


def test_one_that_the_server_may_have_taken_goes_at_most_twice(asker, later):
    put(asker.site, {"email": ZOE})
    asker.ask()
    with serving(MailServer(data=DROPS)) as server:
        for _ in range(4):
            send_links(asker.site, Relay(Settings(smtp_url=server.url)), asker.base_url)
            later(HOUR_MS)
        assert len(server.taken) == 2


@pytest.mark.parametrize("begins", [[], [(LATER, "451 later")], [(PAUSED, "421 busy")]])
def test_workers_that_are_killed_once_it_was_taken_send_no_third(asker, later, monkeypatch, begins):
    put(asker.site, {"email": ZOE})
    asker.ask()
    relay = FakeRelay()
    relay.script = list(begins)
    for _ in begins:
        asker.mailed(relay)
        later(HOUR_MS)
    relay.mails.clear()
    with monkeypatch.context() as patched:
        patched.setattr(link_requests, "_wait_ms", killed)
        for _ in range(5):
            with suppress(Killed):
                asker.mailed(relay)
            later(91_000)
    asker.mailed(relay)
    assert (len(relay.mails), len({mail.message_id for mail in relay.mails})) == (2, 1)
    assert (waiting(asker.site), jobs_left(asker.site)) == ([], False)


def test_a_worker_that_is_killed_once_costs_one_more_email(asker, later, monkeypatch):
    put(asker.site, {"email": ZOE})
    asker.ask()
    relay = FakeRelay()
    with monkeypatch.context() as patched:
        patched.setattr(link_requests, "_wait_ms", killed)
        with pytest.raises(Killed):
            asker.mailed(relay)
    later(91_000)
    asker.mailed(relay)
    assert (len(relay.mails), waiting(asker.site), jobs_left(asker.site)) == (2, [], False)


def test_who_is_erased_while_it_goes_is_not_sent_it(asker, tmp_path):
    put(asker.site, {"email": ZOE})
    asker.ask()
    relay = FakeRelay()
    relay.meanwhile = partial(erasures.erase, asker.site, tmp_path, ZOE)
    assert asker.mailed(relay) == []
    assert (waiting(asker.site), jobs_left(asker.site)) == ([], False)


def test_an_erasure_deletes_what_waits(asker, tmp_path):
    asker.ask()
    erasures.erase(asker.site, tmp_path, ZOE)
    assert waiting(asker.site) == []


def test_in_a_copy_and_under_another_name_of_the_service_none_goes(asker, monkeypatch):
    put(asker.site, {"email": ZOE})
    asker.ask()
    relay = FakeRelay()
    send_links(asker.site, relay, "https://staging.example")
    assert (relay.mails, waiting(asker.site)) == ([], [])
    asker.mailed()
    asker.ask()
    home = instance_state.home
    monkeypatch.setattr(instance_state, "home", lambda: (home()[0] or "the first", "the copy"))
    assert (asker.mailed(relay), waiting(asker.site)) == ([], [])


def test_a_link_that_is_nobodys_leads_here(asker):
    put(asker.site, {"email": ZOE})
    token = asker.token()
    with database.write(asker.site.id):
        database.execute("DELETE FROM subscribers WHERE site_id = ?", (asker.site.id,))
    page = asker.get(f"/unsubscribe/{token}")
    assert heading(page) == "This address is not on our list"
    assert "write to hello@harbour.example" in text(page)
    assert f'href="http://127.0.0.1:8000{asker.path}"' in page.text or f'href="{asker.path}"' in page.text
    assert heading(asker.get(asker.path)) == TITLE
