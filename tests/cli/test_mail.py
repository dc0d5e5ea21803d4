"""`audience mail`, and what the doctor says of the mail server."""

from dataclasses import replace

import pytest
from click.testing import CliRunner

from app import instance
from audience.access import operators, sites
from audience.access.audit_log import COMMAND_LINE
from audience.cli.main import audience
from audience.looks import looks, senders
from tests.audience.looks.test_looks import sent as look_of
from tests.audience.looks.test_senders import SENT
from tests.cli.test_doctor import states
from tests.mail_server import MailServer, serving


@pytest.fixture
def mail_server():
    with serving(MailServer()) as mail_server:
        yield mail_server


@pytest.fixture
def site(app):
    operators.add("ann@example.com", True, {}, COMMAND_LINE)
    site = sites.create("Example")
    looks.change(site, look_of(), b"", False, COMMAND_LINE)
    senders.change(site, SENT, True, COMMAND_LINE)
    return site


@pytest.fixture
def test_mail(site, settings, mail_server):
    """Runs the command; its exit code, and what it says."""

    def run(*words, url=mail_server.url):
        opened = instance(replace(settings, smtp_url=url))
        result = CliRunner().invoke(audience, ["mail", "test", *words], obj=opened)
        return result.exit_code, result.stdout + result.stderr + str(result.exception)

    return run


def test_a_test_goes_to_an_operator(test_mail, mail_server):
    code, words = test_mail("Ann@example.com")
    assert (code, "sent: 250" in words) == (0, True)
    [taken] = mail_server.taken
    assert (taken.sender, taken.recipients) == ("letters@harbour.example", ["ann@example.com"])
    assert str(taken.message["From"]) == "Marit <letters@harbour.example>"
    assert "das ist ein Test." in taken.text


def test_a_test_goes_to_nobody_else(test_mail, mail_server):
    code, words = test_mail("bob@example.com")
    assert (code, "There is no operator with this address" in words, mail_server.commands) == (1, True, [])


def test_five_an_hour_go_out(test_mail, mail_server):
    assert [test_mail("ann@example.com")[0] for _ in range(6)] == [0, 0, 0, 0, 0, 1]
    assert "at most 5 tests an hour" in test_mail("ann@example.com")[1]
    assert len(mail_server.taken) == 5


def test_what_the_mail_server_refuses_is_told(test_mail, mail_server):
    mail_server.rcpt = "550 5.1.1 No such user"
    code, words = test_mail("ann@example.com", "--json")
    assert (code, '"said": "550 5.1.1 No such user"' in words) == (1, True)


def test_what_is_missing_is_told(test_mail, mail_server):
    code, words = test_mail("ann@example.com", url="")
    assert (code, "set AUDIENCE_SMTP_URL" in words) == (1, True)


def test_the_doctor_says_how_far_it_comes(doctor, private, settings, mail_server):
    assert doctor()[1]["mail"][0]["found"].startswith("no mail server is set")
    set_up = replace(settings, smtp_url=mail_server.url)
    assert doctor(settings=set_up)[1]["mail"][0]["found"] == "not asked"
    _, results = doctor("--recount", settings=set_up)
    assert [each["found"].partition(":")[0] for each in results["mail"]] == ["connect", "QUIT"]
    code, results = doctor("--recount", settings=replace(settings, smtp_url="smtp+plain://127.0.0.1:1"))
    assert (code, states(results, "mail")) == (1, {"bad"})
    assert "cannot be reached" in results["mail"][0]["found"]
    assert mail_server.taken == []
