"""In a real browser: from the page that takes an address, by the links in the email, to an unsubscribe."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from audience.access.audit_log import COMMAND_LINE
from audience.config import Settings
from audience.looks import senders
from audience.looks.looks import LANGUAGES
from audience.mail.relay import Relay
from audience.pages.texts import table
from tests.audience.undo.test_undos import put
from tests.mail_server import MailServer
from tests.mail_server import serving as serving_mail
from tests.pages.test_chromium import looked_at, open_tab
from tests.pages.test_link_requests import LINK, SENDER, Asker, site_with_mail
from tests.pages.test_sign_up_chromium import press
from tests.pages.visitor import ZOE
from tests.sign_up_steps import send_links


@pytest.fixture
def settings(settings):
    return replace(settings, smtp_url="smtp+plain://127.0.0.1:25")


@pytest.fixture
def asker(app):
    return Asker(app.test_client(), site_with_mail("Harbour Letters"))


@pytest.mark.parametrize("script", [True, False])
def test_from_an_address_by_the_email_to_an_unsubscribe(chromium, port, asker, script):
    put(asker.site, {"email": ZOE})
    tab = open_tab(chromium, port, script)
    tab.page.goto(f"{tab.origin}{asker.path}")
    tab.page.get_by_label("Email address").fill(ZOE)
    tab.page.get_by_role("button", name="Send me the links").click()
    if not script:
        press(tab.page)
    tab.page.get_by_role("heading", name="Check your inbox").wait_for()
    links = mailed(asker)
    tab.page.goto(f"{tab.origin}{links['preferences']}")
    tab.page.get_by_role("heading", name="What you get").wait_for()
    tab.page.goto(f"{tab.origin}{links['unsubscribe']}")
    tab.page.get_by_role("button", name="Unsubscribe").click()
    tab.page.get_by_role("heading", name="You’re unsubscribed").wait_for()
    assert not asker.is_subscribed()
    assert tab.problems == []
    assert tab.page.context.cookies() == []


def mailed(asker):
    """The paths of the links in the one email, by purpose."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_mailed, asker).result()


def _mailed(asker):
    with serving_mail(MailServer()) as server:
        send_links(asker.site, Relay(Settings(smtp_url=server.url)), asker.base_url)
    [taken] = server.taken
    return {purpose: path for path, purpose in LINK.findall(taken.text)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_is_accessible_and_fits_in_each_language(chromium, port, asker, language):
    words, query = table(language), f"?lang={language}"
    tab = open_tab(chromium, port, script=True)
    tab.page.route("**/pages.js*", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page = tab.page

    def look(name, heading):
        page.get_by_role("heading", name=words[heading]).first.wait_for()
        looked_at(tab, f"leave-{language}-{name}")

    put(asker.site, {"email": ZOE})
    page.goto(f"{tab.origin}{asker.path}{query}")
    look("ask", "links_title")
    page.locator("#email").fill("anna@.example")
    page.evaluate("document.querySelector('form').noValidate = true")
    page.locator("button.go").click()
    look("wrong", "links_title")
    page.locator("#email").fill("anna.berg.of.the.fjord@gmial.com")
    page.locator("button.go").click()
    page.locator("button[name=email_keep]").wait_for()
    look("typo", "links_title")
    page.locator("#email").fill("anna.berg.of.the.fjord@example.com")
    page.locator("button.go").click()
    look("step", "one_more")
    page.wait_for_timeout(3_100)
    page.locator("button.go").click()
    page.locator("summary").click()
    look("sent", "mailbox")
    senders.change(asker.site, SENDER | {"mail_from": ""}, True, COMMAND_LINE)
    page.goto(f"{tab.origin}{asker.path}{query}")
    look("by-mail", "links_title")
    assert [each for each in tab.problems if "status of 4" not in each] == []
