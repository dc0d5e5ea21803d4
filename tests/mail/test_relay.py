"""The relay, against a real mail server: what it sends, and what it makes of each answer."""

import ssl
import time
from email.message import EmailMessage
from typing import Any

import pytest
import trustme

from audience.config import Settings
from audience.mail import relay as relays
from audience.mail import session
from audience.mail.relay import Relay
from audience.mail.results import LATER, PAUSED, REFUSED, SENT, STOPPED, UNSURE
from tests.mail_server import DROPS, HANGS, MailServer, serving

NAME = "relay.example"


@pytest.fixture
def mail_server():
    with serving(MailServer()) as mail_server:
        yield mail_server


def message(to="ann@example.com", text="Hello, Zoë."):
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "News <news@example.com>", to, "Grüße"
    made["Message-ID"] = "<s-1@example.com>"
    made.set_content(text, cte="quoted-printable")
    return made


def send(mail_server, to="ann@example.com", **settings):
    relay = Relay(Settings(**({"smtp_url": mail_server.url} | settings)))
    return relay.send(message(), "news@example.com", to)


def test_it_hands_a_message_over(mail_server):
    assert send(mail_server) == (SENT, "250 2.0.0 OK: queued as 4711")
    [taken] = mail_server.taken
    assert (taken.sender, taken.recipients) == ("news@example.com", ["ann@example.com"])
    assert (taken.message["Subject"], taken.message["Message-ID"]) == ("Grüße", "<s-1@example.com>")
    assert taken.text == "Hello, Zoë.\n"
    assert mail_server.commands == ["MAIL", "RCPT", "DATA", "QUIT"]


@pytest.mark.parametrize(("command", "answer", "status"), [
    ("mail", "451 4.3.0 Try later", PAUSED), ("mail", "421 Closing", PAUSED),
    ("mail", "550 5.7.1 Not you", LATER),
    ("rcpt", "451 4.7.1 Greylisted", LATER), ("rcpt", "550 5.1.1 No such user", REFUSED),
    ("rcpt", "550 5.7.1 Relay access denied", LATER), ("rcpt", "552 5.2.2 Full", LATER),
    ("data", "550 5.7.26 DMARC", LATER), ("data", "554 5.7.1 Spam", LATER),
    ("rcpt", "550 5.2.1 Disabled", REFUSED), ("rcpt", "550 Said 5.7.1", REFUSED),
    ("rcpt", "554 5.70.1 No", REFUSED),
    ("rcpt", "421 Closing", PAUSED), ("rcpt", DROPS, LATER), ("mail", DROPS, LATER),
    ("data", "451 4.3.2 Later", LATER), ("data", "554 5.6.0 Broken", REFUSED), ("data", DROPS, UNSURE),
])  # fmt: skip
def test_each_answer_has_its_result(mail_server, command, answer, status):
    setattr(mail_server, command, answer)
    result = send(mail_server)
    assert result == (status, session.BROKE_OFF if answer == DROPS else answer)


def test_what_is_kept_of_an_answer_has_no_address(mail_server):
    mail_server.rcpt = "550 5.1.1 <ann@example.com>: no =61nn\\x40example.com here"
    assert send(mail_server) == (REFUSED, "550 5.1.1 <(an address)>: no (an address) here")
    mail_server.rcpt = "550 " + "a" * 400
    assert len(send(mail_server).said) == 300


def test_a_drop_after_the_content_comes_again_under_the_same_id(mail_server):
    mail_server.data = DROPS
    assert send(mail_server).status == UNSURE
    mail_server.data = "250 OK"
    assert send(mail_server).status == SENT
    assert [taken.message["Message-ID"] for taken in mail_server.taken] == ["<s-1@example.com>"] * 2


def test_it_rests_after_a_server_that_takes_nothing_now(mail_server, monkeypatch):
    relay = Relay(Settings(smtp_url=mail_server.url))
    mail_server.mail = "421 4.3.2 Shutting down"
    assert relay.send(message(), "news@example.com", "ann@example.com").status == PAUSED
    mail_server.mail, mail_server.commands[:] = "250 OK", []
    paused = relay.send(message(), "news@example.com", "bob@example.com")
    assert (paused, mail_server.commands) == ((PAUSED, "421 4.3.2 Shutting down"), [])
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 61)
    assert relay.send(message(), "news@example.com", "bob@example.com").status == SENT


def test_the_last_look_stops_it_before_the_content(mail_server):
    relay = Relay(Settings(smtp_url=mail_server.url))
    stopped = relay.send(message(), "news@example.com", "ann@example.com", lambda: False)
    assert (stopped, mail_server.taken) == ((STOPPED, ""), [])
    assert mail_server.commands == ["MAIL", "RCPT", "RSET", "QUIT"]


@pytest.mark.parametrize("command", ["mail", "rcpt", "data"])
def test_a_command_that_gets_no_answer_ends(mail_server, command, monkeypatch):
    monkeypatch.setattr(session, "COMMAND_SECONDS", 0.2)
    setattr(mail_server, command, HANGS)
    assert send(mail_server) == (UNSURE if command == "data" else LATER, session.NO_ANSWER)


def test_the_whole_ends_however_long_each_command_may_take(mail_server, monkeypatch):
    monkeypatch.setattr(session, "SECONDS", 0.3)
    mail_server.data = HANGS
    began = time.monotonic()
    assert send(mail_server) == (UNSURE, session.NO_ANSWER)
    assert time.monotonic() - began < 10


def test_a_server_that_cannot_be_left_has_taken_it_all_the_same(mail_server, monkeypatch):
    monkeypatch.setattr(session, "LEAVING_SECONDS", 0.1)
    mail_server.handle_QUIT = lambda *_: mail_server._answer(_[0], "QUIT", HANGS)
    assert send(mail_server).status == SENT


def test_at_most_four_at_once(mail_server, monkeypatch):
    monkeypatch.setattr(relays, "PLACE_SECONDS", 0.01)
    relay = Relay(Settings(smtp_url=mail_server.url))
    for _ in range(relays.MOST_CONNECTIONS):
        assert relays._places.acquire(blocking=False)
    try:
        assert relay.send(message(), "news@example.com", "ann@example.com") == (PAUSED, relays.BUSY)
    finally:
        for _ in range(relays.MOST_CONNECTIONS):
            relays._places.release()
    assert relay.send(message(), "news@example.com", "ann@example.com").status == SENT


def test_an_address_beyond_ascii_needs_smtputf8():
    with serving(MailServer(), enable_SMTPUTF8=True) as mail_server:
        relay = Relay(Settings(smtp_url=mail_server.url))
        assert relay.send(message("zoë@example.com"), "news@example.com", "zoë@example.com").status == SENT
        [taken] = mail_server.taken
        assert taken.recipients == ["zoë@example.com"]
        assert "SMTPUTF8" in taken.options
        assert taken.message["To"] == "zoë@example.com"
    with serving(MailServer(), enable_SMTPUTF8=False) as mail_server:
        assert send(mail_server, "zoë@example.com") == (REFUSED, session.NO_SMTPUTF8)
        assert (send(mail_server).status, mail_server.commands) == (
            SENT,
            ["QUIT", "MAIL", "RCPT", "DATA", "QUIT"],
        )


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def certificate(authority, tmp_path, monkeypatch):
    """For this machine's own name, of an authority that it trusts."""
    file = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(file))
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost", "127.0.0.1").configure_cert(context)
    return context


@pytest.fixture
def secret(tmp_path):
    file = tmp_path / "password"
    file.write_text("a heron\n", "utf-8")
    return {"smtp_password_file": str(file)}


def test_it_encrypts_and_signs_in(certificate, secret):
    with serving(
        MailServer(), certificate=certificate, require_starttls=True, password="a heron"
    ) as mail_server:
        url = f"smtp://harbour%40example.com@localhost:{mail_server.port}"
        assert send(mail_server, smtp_url=url, **secret).status == SENT
        assert mail_server.taken[0].signed_in
        steps = Relay(Settings(smtp_url=url, **secret)).probe()
        assert [(step.name, step.is_well) for step in steps] == [
            ("connect", True), ("STARTTLS", True), ("AUTH", True), ("QUIT", True)
        ]  # fmt: skip


def test_it_speaks_tls_from_the_first_byte(certificate):
    with serving(MailServer(), encrypts=certificate) as mail_server:
        assert send(mail_server, smtp_url=f"smtps://localhost:{mail_server.port}").status == SENT


def test_a_wrong_password_and_a_missing_one_are_told(certificate, secret, tmp_path):
    with serving(
        MailServer(), certificate=certificate, require_starttls=True, password="another"
    ) as mail_server:
        url = f"smtp://harbour@localhost:{mail_server.port}"
        wrong = send(mail_server, smtp_url=url, **secret)
        assert (wrong.status, wrong.said[:4]) == (LATER, "535 ")
        last = Relay(Settings(smtp_url=url, **secret)).probe()[-1]
        assert (last.name, last.is_well, last.said[:4]) == ("AUTH", False, "535 ")
        (tmp_path / "password").write_text("Zoë", "utf-8")
        assert send(mail_server, smtp_url=url, **secret) == (LATER, session.NOT_ASCII)
        none = send(mail_server, smtp_url=url, smtp_password_file=str(tmp_path / "none"))
        assert none == (LATER, session.NO_FILE)


def test_without_starttls_nothing_is_sent(mail_server):
    assert send(mail_server, smtp_url=f"smtp://localhost:{mail_server.port}") == (LATER, session.NO_STARTTLS)
    assert mail_server.taken == []


def test_a_user_whom_the_server_cannot_sign_in_sends_nothing(certificate, secret):
    with serving(
        MailServer(), certificate=certificate, auth_exclude_mechanism=["LOGIN", "PLAIN"]
    ) as mail_server:
        url = f"smtp://harbour@localhost:{mail_server.port}"
        assert send(mail_server, smtp_url=url, **secret) == (LATER, session.NO_AUTH)


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_a_certificate_of_another_name_or_authority_is_refused(
    scheme, authority, certificate, tmp_path, monkeypatch
):
    other = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(NAME).configure_cert(other)
    options: dict[str, Any] = {("encrypts" if scheme == "smtps" else "certificate"): other}
    with serving(MailServer(), **options) as mail_server:
        sent = send(mail_server, smtp_url=f"{scheme}://localhost:{mail_server.port}")
        assert (sent, mail_server.taken) == ((LATER, session.NOT_TRUSTED), [])
    file = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(str(file))
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    options = {("encrypts" if scheme == "smtps" else "certificate"): certificate}
    with serving(MailServer(), **options) as mail_server:
        sent = send(mail_server, smtp_url=f"{scheme}://localhost:{mail_server.port}")
        assert (sent, mail_server.taken) == ((LATER, session.NOT_TRUSTED), [])


def test_nothing_goes_unencrypted_to_the_internet(mail_server, monkeypatch):
    monkeypatch.setattr(session, "look_up", lambda *_: ["127.0.0.1", "203.0.113.7", "8.8.8.8"])
    assert send(mail_server, smtp_url=f"smtp+plain://{NAME}:{mail_server.port}") == (
        LATER,
        session.NOT_PRIVATE,
    )
    assert mail_server.commands == []


def test_a_server_that_is_not_there_is_told(mail_server):
    assert send(mail_server, smtp_url="smtp+plain://127.0.0.1:1") == (LATER, session.NO_CONNECTION)
    [step] = Relay(Settings(smtp_url="smtp+plain://127.0.0.1:1")).probe()
    assert step == ("connect", False, session.NO_CONNECTION)
    assert send(mail_server, smtp_url="smtp+plain://nowhere.invalid") == (LATER, session.NO_NAME)
    assert send(mail_server, smtp_url="") == (LATER, relays.NOT_SET)
