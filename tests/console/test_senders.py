"""Who the emails are from, set in the console, and a test that shows whether they go out."""

from dataclasses import replace

import pytest

from audience.access import audit_log
from audience.access.audit_log import COMMAND_LINE
from audience.looks import looks, senders
from tests.audience.looks.test_looks import sent as look_of
from tests.audience.looks.test_senders import SENT
from tests.console.browser import alert, signed_in
from tests.mail_server import MailServer, serving


@pytest.fixture
def mail_server(app):
    with serving(MailServer()) as mail_server:
        services = app.extensions["audience"]
        app.extensions["audience"] = replace(
            services, settings=replace(services.settings, smtp_url=mail_server.url)
        )
        yield mail_server


@pytest.fixture
def path(site):
    return f"/sites/{site.uuid}/pages"


@pytest.fixture
def set_up(site, mail_server):
    looks.change(site, look_of(), b"", False, COMMAND_LINE)
    senders.change(site, SENT, True, COMMAND_LINE)


@pytest.fixture
def administrator(app, site):
    return signed_in(app, "admin@example.com", {site: "owner"}, administrator=True)


def test_an_administrator_sets_all_of_it(site, administrator, path):
    assert 'name="mail_from"' in administrator.get(path).text
    assert administrator.post(path, **SENT).status_code == 303
    assert senders.sender(site)[1:4] == tuple(SENT.values())


def test_an_owner_sets_the_name_and_the_replies(site, owner, path, set_up):
    shown = owner.get(path).text
    assert 'name="mail_from"' not in shown
    assert "letters@harbour.example" in shown
    assert owner.post(path, mail_name="Tom", reply_to="").status_code == 303
    assert senders.sender(site)[1:4] == ("letters@harbour.example", "Tom", "")
    refused = owner.post(path, mail_name="Tom", reply_to="me@elsewhere.example")
    assert (refused.status_code, alert(refused)) == (422, senders.OTHER_DOMAIN)
    assert 'value="me@elsewhere.example"' in refused.text
    assert 'value="Harbour &amp; Letters"' in refused.text
    refused = owner.post(path, mail_name="Tom", reply_to="", mail_from="bank@elsewhere.example")
    assert (refused.status_code, alert(refused)) == (422, senders.NOT_YOURS)


def test_a_manager_sees_and_sets_nothing_of_it(site, manager, path, set_up):
    assert "The confirmation email" not in manager.get(path).text
    assert manager.post(path, **dict.fromkeys(SENT, "eve@elsewhere.example")).status_code == 303
    assert manager.post(f"{path}/mail/test").status_code == 404
    assert senders.sender(site)[1:4] == tuple(SENT.values())


def test_the_look_and_the_sender_are_saved_together_or_neither(site, administrator, path, set_up):
    typed = look_of(name="Quay News") | SENT | {"mail_name": "Tom"}
    refused = administrator.post(path, **typed | {"home": "x", "reply_to": "nobody"})
    assert (refused.status_code, refused.text.count('aria-invalid="true"')) == (422, 2)
    assert 'value="Quay News"' in refused.text
    assert 'value="Tom"' in refused.text
    assert looks.get(site).name != "Quay News"
    saved = administrator.post(path, **typed)
    assert saved.headers["Location"].endswith("?done=pages")
    assert (looks.get(site).name, senders.sender(site).mail_name) == ("Quay News", "Tom")
    assert (
        "The pages and the sender were saved, and are in use now."
        in administrator.get(f"{path}?done=pages").text
    )


def test_a_test_keeps_what_is_typed_and_saves_nothing(site, owner, path, set_up):
    tested = owner.post(f"{path}/mail/test", mail_name="Unsaved", name="Unsaved, too")
    assert tested.text.count('value="Unsaved') == 2
    assert senders.sender(site).mail_name != "Unsaved"


def test_a_test_is_sent_to_oneself(site, owner, path, set_up, mail_server):
    assert ">set up<" in owner.get(path).text
    tested = owner.post(f"{path}/mail/test")
    assert "Test sent to owner@example.com." in tested.text
    assert "250 2.0.0 OK: queued as 4711" in tested.text
    [taken] = mail_server.taken
    assert taken.recipients == ["owner@example.com"]
    [entry] = [entry for entry in audit_log.page(site) if entry.act == senders.TEST_SENT]
    assert (entry.actor, entry.subject) == ("owner@example.com", "owner@example.com")


def test_what_the_mail_server_answers_is_shown(site, owner, path, set_up, mail_server):
    mail_server.rcpt = "550 5.1.1 <owner@example.com> is nobody"
    refused = owner.post(f"{path}/mail/test")
    assert "Not sent to owner@example.com: 550 5.1.1 &lt;(an address)&gt; is nobody" in refused.text


def test_the_sixth_of_an_hour_waits(site, owner, path, set_up, mail_server, later):
    for _ in range(5):
        assert owner.post(f"{path}/mail/test").status_code == 200
    late = owner.post(f"{path}/mail/test")
    assert (late.status_code, alert(late), len(mail_server.taken)) == (429, senders.ENOUGH, 5)
    later(61 * 60_000)
    assert owner.post(f"{path}/mail/test").status_code == 200


def test_what_is_missing_is_said(site, owner, path):
    shown = owner.get(path).text
    assert "cannot be sent yet" in shown
    assert "set AUDIENCE_SMTP_URL" in shown
    refused = owner.post(f"{path}/mail/test")
    assert (refused.status_code, "set AUDIENCE_SMTP_URL" in alert(refused)) == (422, True)
