"""The texts of the emails: in seven languages, and nothing gets into them that ends a line."""

import re
from contextlib import suppress
from email import message_from_bytes, policy
from email.message import EmailMessage

import hypothesis
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audience import addresses, clock
from audience.config import Settings
from audience.looks import looks
from audience.looks.looks import LANGUAGES
from audience.mail import messages, sender, session
from audience.mail.messages import SignUpAsked, table
from audience.mail.relay import Relay
from audience.mail.results import REFUSED, SENT
from audience.mail.sender import Sender
from tests.depth import examples
from tests.mail_server import MailServer, serving
from tests.rows import each_row

HARBOUR = Sender(
    "Harbour Letters", "letters@harbour-letters.example", "", "hello@harbour-letters.example",
    "https://harbour-letters.example/", "https://harbour-letters.example/imprint",
    "https://harbour-letters.example/privacy", "Europe/Oslo",
)  # fmt: skip
CONFIRM = "https://people.harbour-letters.example/confirm/AQEAAAGZ8KJqOU8KnD4vYNHHpYsBmfCipW94AAA.k2wT1qRZ7u0dLxVbN3mYc8HfJ5sGpQaEiKoUzWtX6"
ASKED = SignUpAsked(
    "https://harbour-letters.example/", 1_795_706_404_000, 1_796_311_204_000, CONFIRM, f"{CONFIRM}/decline"
)
URLS = {"unsubscribe": "https://a.example/u", "preferences": "https://a.example/p"}
SPACE = " "  # after the dashes, as mail programs know the end of a text
PLACEHOLDER = re.compile(r"\{\w*\}")
ENGLISH = f"""\
Hello,

Someone signed up for Harbour Letters with this address. If it was you,
please confirm it by opening this link:

{CONFIRM}

The link works until 3 December 2026.

Wasn't it you? Then you don't need to do anything. Unless you confirm, we
don't write again, and we delete this address on 3 December. To have it
deleted right away, open this link:

{CONFIRM}/decline

Signed up on 26 November 2026 at 16:20 (Europe/Oslo), on
https://harbour-letters.example/

--{SPACE}
Harbour Letters
https://harbour-letters.example/
Imprint: https://harbour-letters.example/imprint
Privacy: https://harbour-letters.example/privacy
"""
HEADERS = [
    "From", "To", "Subject", "Date", "Message-ID", "Reply-To", "Auto-Submitted", "Content-Type",
    "Content-Transfer-Encoding", "MIME-Version", "Content-Language",
]  # fmt: skip


def confirmation(language="en", sender=HARBOUR, email="anna.berg@fjordpost.example", asked=ASKED):
    return messages.confirmation(language, sender, email, "s-4711@harbour-letters.example", asked)


def read(message):
    """The message as another program reads it."""
    found = message_from_bytes(message.as_bytes(policy=policy.SMTPUTF8), policy=policy.SMTPUTF8)
    assert isinstance(found, EmailMessage)
    return found


def text(message):
    return read(message).get_content().replace("\r\n", "\n")


def test_a_confirmation_is_as_it_was_written(monkeypatch):
    monkeypatch.setattr(clock, "now_ms", lambda: ASKED.requested_at)
    message = read(confirmation())
    assert text(confirmation()) == ENGLISH
    assert dict(message.items()) == {
        "From": "Harbour Letters <letters@harbour-letters.example>",
        "To": "anna.berg@fjordpost.example",
        "Subject": "Please confirm your sign-up to Harbour Letters",
        "Date": "Thu, 26 Nov 2026 16:20:04 +0100",
        "Message-ID": "<s-4711@harbour-letters.example>",
        "Reply-To": "hello@harbour-letters.example",
        "Auto-Submitted": "auto-generated",
        "Content-Language": "en",
        "Content-Type": 'text/plain; charset="utf-8"',
        "Content-Transfer-Encoding": "quoted-printable",
        "MIME-Version": "1.0",
    }


@each_row(("language", "part"), [
    ("de", "Der Link funktioniert bis zum 3. Dezember 2026."),
    ("de", "Angemeldet am 26. November 2026 um 16:20 Uhr (Europe/Oslo), auf\nhttps://"),
    ("de", "Impressum: https://"),
    ("es", "Suscripción del 26 de noviembre de 2026 a las 16:20 (Europe/Oslo), en"),
    ("fr", "Inscription du 26 novembre 2026 à 16\xa0h\xa020 (Europe/Oslo), sur"),
    ("it", "Scadenza del link: 3 dicembre 2026."),
    ("nl", "op 26 november 2026 om 16:20 uur (Europe/Oslo), op"),
    ("pt", "Inscrição de 26 de novembro de 2026 às 16:20 (Europe/Oslo), em"),
])  # fmt: skip
def test_dates_are_as_the_language_writes_them(language, part):
    assert part in text(confirmation(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_same_texts_with_the_same_placeholders(language):
    def placeholders(texts):
        if isinstance(texts, str):
            return sorted(PLACEHOLDER.findall(texts))
        return {key: placeholders(value) for key, value in texts.items()}

    assert placeholders(table(language)) == placeholders(table("en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_is_whole_in_each_language(language):
    sent = [
        confirmation(language),
        confirmation(language, asked=ASKED._replace(is_by_operator=True)),
        messages.links(language, HARBOUR, "ann@example.com", "l-1@harbour-letters.example", URLS),
        messages.alarm(language, HARBOUR, "ann@example.com", "https://a.example/console"),
        messages.test(language, HARBOUR, "ann@example.com"),
    ]
    for message in sent:
        assert not PLACEHOLDER.search(message["Subject"] + text(message))
        assert max(len(line) for line in text(message).splitlines() if "https://" not in line) <= 76
        assert read(message)["Content-Language"] == language
    assert "https://a.example/u\n" in text(sent[2])
    assert "https://a.example/p\n" in text(sent[2])
    assert "https://a.example/console\n" in text(sent[3])
    assert len({message["Subject"] for message in sent}) == len(sent)


@pytest.mark.parametrize(("page", "home", "named"), [
    ("https://a.example", "https://b.example", "https://a.example"),
    ("", "https://b.example", "https://b.example"), ("", "", "https://people.harbour-letters.example/"),
])  # fmt: skip
def test_where_it_was_asked_for_is_named(page, home, named):
    message = confirmation(sender=HARBOUR._replace(home=home), asked=ASKED._replace(page=page))
    assert f"(Europe/Oslo), on\n{named}\n\n" in text(message)


def test_what_a_look_leaves_out_is_left_out():
    bare = HARBOUR._replace(reply_to="", home="", imprint="", privacy="", mail_name="Marit")
    message = read(confirmation(sender=bare))
    assert ("Reply-To" in message, message["From"].addresses[0].display_name) == (False, "Marit")
    assert text(confirmation(sender=bare)).endswith("\n-- \nHarbour Letters\n")


ENCODED = ("=?utf-8?q?", "=?us-ascii?b?DQo=?=", "=0D=0A", "?=", "Bcc:x")  # of which a header is decoded
PIECES = st.sampled_from([*"\r\n\v\x85\u2028\0 a:<>@,-", *ENCODED])
WILD = st.lists(PIECES | st.characters(), max_size=20).map("".join)
NAMES = WILD.map(lambda text: text[: looks.MAX_NAME])


@given(NAMES, NAMES, WILD, st.sampled_from(LANGUAGES))
@example("", '"",aba=??=?==?",,,bb aa,b "?=, <"<=?<, <)b,",(,a"a," b>a' + "\\" * 5, "", "en")
def test_nothing_gets_into_the_headers_or_adds_a_line(name, mail_name, page, language):
    wild = HARBOUR._replace(name=name, mail_name=mail_name)
    message = read(confirmation(language, wild, asked=ASKED._replace(page=page)))
    assert [*message.keys()] == HEADERS
    assert message["From"].addresses[0].addr_spec == HARBOUR.mail_from
    assert message["To"].addresses[0].addr_spec == "anna.berg@fjordpost.example"
    assert not message.defects
    plain = text(confirmation(language))
    lines = [line for line in text(confirmation(language, wild)).splitlines() if line in plain.splitlines()]
    assert lines.count("-- ") == 1
    assert lines.count(CONFIRM) == 1


def is_address(email):
    try:
        return addresses.identity(email) == email
    except addresses.MalformedAddress:
        return False


LOCAL = st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters="@"), min_size=1, max_size=20)


@given(LOCAL.map(lambda local: f"{local.lower()}@xn--bcher-kva.example").filter(is_address))
def test_a_message_goes_to_its_address_alone(email):
    message = read(confirmation(email=email))
    assert [*message.keys()] == HEADERS
    [address] = message["To"].addresses
    local = address.username.encode(errors="surrogateescape").decode()  # as the parser keeps UTF-8
    assert f"{local}@{address.domain}" == email


@pytest.mark.parametrize("hidden", ["", "=0D=0ABcc:bob@example.org", "=0D=0A=0D=0Aevil=2Ecom"])
def test_no_encoded_word_becomes_a_line_or_another_address(hidden):
    word = f"=?utf-8?q?zoe{hidden.replace('@', '=40')}?="
    named = HARBOUR._replace(name=word, mail_name=word, reply_to=f"{word}@harbour-letters.example")
    for email, look in (("ann@example.com", named), (f"{word}@example.com".lower(), HARBOUR)):
        message = confirmation(sender=look, email=email)
        assert [*read(message).keys()] == HEADERS
        head = message.as_bytes(policy=policy.SMTP).partition(b"\r\n\r\n")[0]
        assert (b"To: zoe@" in head, b"Content-Language" in head) == (False, True)
    with serving(MailServer()) as server:
        result = Relay(Settings(smtp_url=server.url)).send(message, HARBOUR.mail_from, email)
    assert (result, server.taken) == ((REFUSED, session.NO_HEADER), [])


@each_row("email", [
    "ann@example.com", "o'neill+news@example.com", "a,b@example.com", "a>b@example.com", "a..b@example.com",
    'a"b@example.com', "zoë@xn--bcher-kva.example", "<a@example.com", "a;b(c)@example.com",
])  # fmt: skip
def test_the_mail_server_is_told_that_address_alone(email):
    with serving(MailServer(), enable_SMTPUTF8=True) as server:
        result = Relay(Settings(smtp_url=server.url)).send(
            confirmation(email=email), HARBOUR.mail_from, email
        )
        commands = len(server.taken)
    if result.status == SENT:
        [taken] = server.taken
        [recipient] = taken.recipients
        local, _, domain = recipient.rpartition("@")
        if local.startswith('"'):
            local = re.sub(r"\\(.)", r"\1", local[1:-1])
        assert (f"{local}@{domain}", taken.sender, commands) == (email, HARBOUR.mail_from, 1)


@pytest.fixture(scope="module")
def servers():
    """By whether they take letters beyond ASCII."""
    with (
        serving(MailServer(), enable_SMTPUTF8=False) as ascii_alone,
        serving(MailServer(), enable_SMTPUTF8=True) as any_letters,
    ):
        yield ascii_alone, any_letters


@hypothesis.settings(max_examples=examples(300), deadline=None)
@given(LOCAL, st.sampled_from(["firm.org", "Bücher.example", "пример.example", "例え.example", "ﬁrm.org"]))
def test_an_address_of_any_letters_is_mailed_as_it_is_or_shown_as_not(servers, local, domain):
    with suppress(addresses.MalformedAddress):
        email = addresses.identity(f"{local}@{domain}")
        assert email.rpartition("@")[2].isascii()
        for takes_any, server in enumerate(servers):
            del server.taken[:]
            result = Relay(Settings(smtp_url=server.url)).send(
                confirmation(email=email), HARBOUR.mail_from, email
            )
            sent = [(taken.recipients, "SMTPUTF8" in taken.options) for taken in server.taken]
            if not (email.isascii() or takes_any):
                assert (result, sent) == ((REFUSED, session.NO_SMTPUTF8), [])
            elif result.status == SENT:
                assert [(len(recipients), beyond) for recipients, beyond in sent] == [
                    (1, not email.isascii())
                ]
                assert [*server.taken[0].message.keys()] == HEADERS
            else:
                assert (result.status, sent) == (REFUSED, [])


@pytest.mark.parametrize(("settings", "look", "sentence"), [
    ({}, {}, sender.NO_SERVER),
    ({"smtp_url": "smtps://me@relay.example"}, {}, sender.NO_FILE),
    ({"smtp_url": "smtps://relay.example"}, {"mail_from": ""}, sender.NO_ADDRESS),
    ({"smtp_url": "smtps://relay.example"}, {"name": ""}, sender.NO_NAME),
    ({"smtp_url": "smtps://relay.example"}, {}, ""),
    ({"smtp_url": "smtps://me@relay.example", "smtp_password_file": "/run/password"}, {}, ""),
])  # fmt: skip
def test_what_is_missing_is_told_in_one_sentence(settings, look, sentence):
    assert sender.missing(Settings(**settings), HARBOUR._replace(**look)) == sentence
