"""The limits of emails with links: of a mailbox, of a network, and of who presses the button."""

from dataclasses import replace

import pytest

from audience.clock import DAY_MS, MINUTE_MS
from audience.sign_ups import link_requests
from tests.audience.undo.test_undos import put
from tests.pages.test_link_requests import Asker, site_with_mail, waiting
from tests.pages.visitor import ZOE, text
from tests.sign_up_steps import FakeRelay, ask, make_form, send, send_links


@pytest.fixture
def settings(settings):
    return replace(settings, smtp_url="smtp+plain://127.0.0.1:25")


@pytest.fixture
def site(app):
    return site_with_mail("Harbour Letters")


@pytest.fixture
def asker(app, site):
    return Asker(app.test_client(), site)


def test_a_mailbox_is_sent_its_links_once_a_day_and_six_times_a_month(asker, later):
    put(asker.site, {"email": ZOE})
    mails = 0
    for day in range(32):
        for _ in range(2):
            asker.ask()
            mails += len(asker.mailed())
        assert mails == (min(day + 1, 6) if day < 30 else 6 + day - 29)
        later(DAY_MS)


def test_confirmations_and_links_of_all_sites_are_six_a_day(app, site, later):
    relay, others = FakeRelay(), [site, *(site_with_mail(f"Site {number}") for number in range(4))]
    asked = [(other, make_form(other)) for other in others]
    for other in others:
        put(other, {"email": ZOE})
    for _ in range(6):
        for other, form in asked:
            ask(other, form)
            send(other, relay)
            link_requests.accept(other, ZOE, "en", "https://people.example")
            send_links(other, relay)
        later(11 * MINUTE_MS)
    assert len(relay.mails) == 6
    assert any(mail.message_id.startswith("<l-") for mail in relay.mails)


def test_confirmations_of_a_site_do_not_keep_its_links_back(asker, later):
    put(asker.site, {"email": ZOE})
    relay, form = FakeRelay(), make_form(asker.site)
    for _ in range(3):
        ask(asker.site, form)
        send(asker.site, relay)
        later(11 * MINUTE_MS)
    asker.ask()
    assert len(asker.mailed()) == 1
    assert len(relay.mails) == 3


def test_the_button_counts_five_times_an_hour(asker, later):
    for number in range(6):
        step = asker.step()
        later(4_000)
        page = asker.send(step, "")
        assert page.status_code == (200 if number < 5 else 429)
    assert 0 < int(page.headers["Retry-After"]) <= 3600
    assert "Many requests have come" in text(page)
    assert len(waiting(asker.site)) == 5


def test_a_network_that_asks_much_waits(asker):
    pages = [asker.step() for _ in range(101)]
    assert [page.status_code for page in pages] == [200] * 100 + [429]
    assert "Many requests have come" in text(pages[-1])
    assert 'data-prefix="000"' in pages[20].text
