"""Who the emails of a site are from, and who may say so."""

import pytest

from audience.access import audit_log, operators, sites
from audience.access.audit_log import COMMAND_LINE
from audience.config import Settings
from audience.errors import Refused
from audience.looks import looks, senders
from audience.mail import sender
from audience.mail.sender import Sender
from tests.audience.looks.test_looks import sent as look_of

SENT = {"mail_from": "letters@harbour.example", "mail_name": "Marit", "reply_to": "hello@harbour.example"}


@pytest.fixture
def site(app):
    return sites.create("Example", "Europe/Oslo")


def test_a_test_goes_to_operators_alone(site):
    operators.add("ann@example.com", False, {}, COMMAND_LINE)
    for email, sentence in (("bob@example.com", senders.NO_OPERATOR), ("ann@example.com", sender.NO_SERVER)):
        with pytest.raises(Refused, match=sentence[:20]):
            senders.send_test(site, email, Settings(), COMMAND_LINE)


def test_an_administrator_sets_all_of_it_and_a_look_keeps_it(site):
    senders.change(site, SENT | {"mail_from": "Letters@HARBOUR.example"}, True, COMMAND_LINE)
    looks.change(site, look_of(), b"", False, COMMAND_LINE)
    assert senders.sender(site) == Sender(
        "Harbour & Letters", "letters@harbour.example", "Marit", "hello@harbour.example",
        "https://harbour-letters.example", "https://harbour-letters.example/imprint",
        "http://harbour-letters.example/p?a=1", "Europe/Oslo",
    )  # fmt: skip
    senders.change(site, SENT, True, COMMAND_LINE)
    [entry] = [entry for entry in audit_log.page(site) if entry.act == "sender of the emails changed"]
    assert "harbour.example" in entry.typed
    assert "letters" not in entry.typed
    assert looks.get(site).accent == "#1d4f80"


def test_an_owner_sets_the_name_and_replies_to_the_same_domain(site):
    senders.change(site, SENT, True, COMMAND_LINE)
    senders.change(site, SENT | {"mail_name": "Tom", "reply_to": "tom@harbour.example"}, False, COMMAND_LINE)
    assert senders.sender(site)[1:4] == ("letters@harbour.example", "Tom", "tom@harbour.example")
    senders.change(site, SENT | {"mail_name": "", "reply_to": ""}, False, COMMAND_LINE)
    assert senders.sender(site)[1:4] == ("letters@harbour.example", "", "")


def test_what_an_administrator_set_does_not_keep_an_owner_from_the_rest(site):
    elsewhere = SENT | {"reply_to": "me@elsewhere.example"}
    senders.change(site, elsewhere, True, COMMAND_LINE)
    senders.change(site, elsewhere | {"mail_name": "Tom"}, False, COMMAND_LINE)
    assert senders.sender(site)[2:4] == ("Tom", "me@elsewhere.example")


@pytest.mark.parametrize(("field", "wrong", "sentence", "by_administrator"), [
    ("mail_from", "bank@elsewhere.example", senders.NOT_YOURS, False),
    ("mail_from", "", senders.NOT_YOURS, False),
    ("reply_to", "me@elsewhere.example", senders.OTHER_DOMAIN, False),
    ("reply_to", "me@sub.harbour.example", senders.OTHER_DOMAIN, False),
    ("mail_name", "Win at evil.example", looks.NAME, True),
    ("mail_name", "you@evil.example", looks.NAME, True),
    ("mail_name", "a\r\nBcc: x", looks.NAME, True),
    ("mail_from", "zoë@harbour.example", senders.ADDRESS, True),
    ("mail_from", "no address", senders.ADDRESS, True),
    ("mail_from", "a,b@harbour.example", senders.ADDRESS, True),
    ("reply_to", "a@b", senders.ADDRESS, True),
])  # fmt: skip
def test_nobody_sends_as_anybody(site, field, wrong, sentence, by_administrator):
    senders.change(site, SENT, True, COMMAND_LINE)
    with pytest.raises(Refused) as refused:
        senders.change(site, SENT | {field: wrong}, by_administrator, COMMAND_LINE)
    assert [(error.field, error.message) for error in refused.value.errors] == [(field, sentence)]
    assert senders.sender(site)[1:4] == tuple(SENT.values())
