"""In a real browser: from a static page of another origin to a subscriber, with and without script."""

import contextlib
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Error

from audience.access.audit_log import COMMAND_LINE
from audience.config import Settings
from audience.forms import embedding, forms
from audience.looks import looks, senders
from audience.looks.looks import LANGUAGES
from audience.mail.relay import Relay
from audience.pages.texts import table
from audience.subscribers import subscribers
from storage.sign_ups.sign_ups import HELD, WAITING
from tests.audience.looks.test_looks import sent
from tests.mail_server import MailServer
from tests.mail_server import serving as serving_mail
from tests.pages.applicant import ZOE, Applicant, form_of
from tests.pages.test_chromium import looked_at, open_tab
from tests.pages.test_confirmations import is_subscribed
from tests.sign_up_steps import send

LINK = re.compile(r"^http://127\.0\.0\.1:8000(/confirm/\S+)$", re.MULTILINE)
SENDER = {"mail_from": "letters@harbour.example", "mail_name": "", "reply_to": ""}
WORDING = {language: f"You agree ({language})." for language in LANGUAGES}
SHOW_MOMENT, SHOW_BUTTON = (
    f"document.getElementById('{shown}').hidden = false, document.getElementById('{other}').hidden = true"
    for shown, other in (("moment", "button"), ("button", "moment"))
)
FIELDS = [{"key": "first_name", "required": False}, {"key": "last_name", "required": True}]


@contextlib.contextmanager
def static_site(pages):
    """A site without a backend: what it has, by path; a form that is posted to it is an error."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = pages.get(self.path, "").encode()
            self.send_response(200 if body or self.path == "/favicon.ico" else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def world(app, site, port):
    """The address of the static site, and who visits it."""
    pages = {"/thanks": "<h1>Thanks</h1>", "/in": "<h1>You are in</h1>"}
    with static_site(pages) as origin:
        form = form_of(site, origins=[origin], wording=WORDING, fields=[])
        pages["/"] = f"<h1>My page</h1>{embedding.html(site, form, 'en', f'http://127.0.0.1:{port}')}"
        yield origin, Applicant(app.test_client(), site, form)


@pytest.fixture
def mailed(app, site):
    """Has what waits sent, and reads the path of the link in the newest email.

    The mail server begins and ends in a thread: the browser's driver has the loop of this one.
    """
    serving_it = serving_mail(MailServer())
    with ThreadPoolExecutor(1) as thread:
        server = thread.submit(serving_it.__enter__).result()
        relay = Relay(Settings(smtp_url=server.url))

        def read():
            send(site, relay, app.extensions["audience"].settings.base_url)
            return LINK.findall(server.taken[-1].text)[0]

        yield read
        thread.submit(serving_it.__exit__, None, None, None).result()


def sign_up(tab, origin, email=ZOE):
    tab.page.goto(origin)
    tab.page.get_by_label("Email").fill(email)
    tab.page.get_by_role("button", name="Sign up").click()


def press(page):
    """The button of the step, once it counts."""
    page.get_by_role("heading", name="One more step").wait_for()
    page.wait_for_timeout(3_100)
    page.get_by_role("button", name="Send me the email").click()


@pytest.mark.parametrize("own_pages", [True, False])
@pytest.mark.parametrize("script", [True, False])
def test_from_a_static_page_to_a_subscriber(chromium, port, world, mailed, script, own_pages):
    origin, applicant = world
    senders.change(applicant.site, SENDER, True, COMMAND_LINE)
    if own_pages:
        urls = {"next_url": f"{origin}/thanks", "confirmed_url": f"{origin}/in"}
        forms.change(applicant.site, applicant.form.id, urls)
    tab = open_tab(chromium, port, script)
    sign_up(tab, origin)
    if not script:
        press(tab.page)
    tab.page.get_by_role("heading", name="Thanks" if own_pages else "Check your inbox").wait_for()
    made = applicant.newest()
    assert (made.email, made.status, made.origin) == (ZOE, WAITING, origin)
    tab.page.goto(f"{tab.origin}{mailed()}")
    tab.page.get_by_role("heading", name="Confirm your sign-up").wait_for()
    assert subscribers.find(applicant.site, ZOE) is None
    if script:
        tab.page.mouse.move(100, 100)
    else:
        tab.page.get_by_role("button", name="Yes, subscribe me").click()
    tab.page.get_by_role("heading", name="You are in" if own_pages else "You’re in").wait_for()
    assert is_subscribed(applicant.site)
    assert [each for each in tab.problems if not each.startswith(origin)] == []
    assert tab.page.context.cookies() == []


def test_a_visit_without_a_person_confirms_nobody(chromium, port, world):
    _, applicant = world
    applicant.sign_up()
    tab = open_tab(chromium, port, script=True)
    tab.page.goto(f"{tab.origin}{applicant.confirm_path()}")
    tab.page.wait_for_timeout(500)
    tab.page.evaluate(
        """() => {
          for (const name of ["pointermove", "keydown", "wheel", "touchstart"]) dispatchEvent(new Event(name))
          document.body.style.height = "9000px"
          scrollTo(0, 4000)
        }"""
    )
    tab.page.wait_for_timeout(1_000)
    assert tab.page.locator("h1").inner_text() == "Confirm your sign-up"
    assert subscribers.find(applicant.site, ZOE) is None
    tab.page.keyboard.press("Control")
    tab.page.wait_for_timeout(4_000)
    assert subscribers.find(applicant.site, ZOE) is None
    tab.page.keyboard.press("Tab")
    tab.page.get_by_role("heading", name="You’re in").wait_for()
    assert is_subscribed(applicant.site)


def test_whoever_goes_to_the_link_that_declines_is_left_to_choose(chromium, port, world):
    _, applicant = world
    applicant.sign_up()
    tab = open_tab(chromium, port, script=True)
    tab.page.goto(f"{tab.origin}{applicant.confirm_path()}")
    tab.page.mouse.move(100, 100)
    tab.page.wait_for_timeout(1_000)
    tab.page.get_by_role("link", name="have the request deleted").hover()
    tab.page.wait_for_timeout(4_000)
    assert subscribers.find(applicant.site, ZOE) is None
    tab.page.get_by_role("link", name="have the request deleted").click()
    tab.page.wait_for_url("**/decline")
    assert subscribers.find(applicant.site, ZOE) is None


def test_a_german_form_waits_for_the_button(chromium, port, app, site):
    form = form_of(site, language="de", wording={"de": "Sie stimmen zu."}, fields=[])
    applicant, tab = Applicant(app.test_client(), site, form), open_tab(chromium, port, script=True)
    tab.page.goto(f"{tab.origin}{applicant.path}")
    tab.page.get_by_label("E\u2011Mail-Adresse").fill(ZOE)
    tab.page.get_by_role("button", name="Anmelden").click()
    tab.page.get_by_role("heading", name="Sehen Sie in Ihr Postfach").wait_for()
    tab.page.goto(f"{tab.origin}{applicant.confirm_path()}")
    tab.page.mouse.move(100, 100)
    tab.page.keyboard.press("Tab")
    tab.page.wait_for_timeout(500)
    assert subscribers.find(site, ZOE) is None
    tab.page.get_by_role("button", name="Ja, Anmeldung bestätigen").click()
    tab.page.get_by_role("heading", name="Sie sind dabei").wait_for()
    assert is_subscribed(site)
    assert tab.problems == []


def test_back_and_a_second_press_and_a_second_tab_do_no_harm(chromium, port, world):
    origin, applicant = world
    tab, other = (open_tab(chromium, port, script=True) for _ in range(2))
    for each in (tab, other):
        sign_up(each, origin)
        each.page.get_by_role("heading", name="Check your inbox").wait_for()
    before = len(applicant.all())
    for _ in range(3):
        with contextlib.suppress(Error):  # the answer of a POST is not kept, and not asked for again
            tab.page.go_back()
        tab.page.wait_for_timeout(300)
    assert len(applicant.all()) == before
    plain = open_tab(chromium, port, script=False)
    sign_up(plain, origin, "bob@example.com")
    plain.page.wait_for_timeout(3_100)
    plain.page.get_by_role("button", name="Send me the email").dblclick()
    plain.page.get_by_role("heading", name="Check your inbox").wait_for()
    assert {each.email for each in applicant.all()} == {ZOE, "bob@example.com"}
    first, second = (applicant.confirm_path(each) for each in applicant.all()[:2])
    for path in (first, second, first):
        plain.page.goto(f"{plain.origin}{path}")
        button = plain.page.get_by_role("button", name="Yes, subscribe me")
        if button.count():
            button.click()
        plain.page.get_by_role("heading", name="You’re in").wait_for()
    assert is_subscribed(applicant.site)


def test_a_typo_is_asked_about_and_enter_keeps_what_is_typed(chromium, port, world):
    _, applicant = world
    tab = open_tab(chromium, port, script=True)
    tab.page.goto(f"{tab.origin}{applicant.path}")
    tab.page.get_by_label("Email address").fill("zoe@gmial.com")
    tab.page.get_by_role("button", name="Sign up").click()
    tab.page.get_by_label("Email address").fill("zoe@example.com")
    tab.page.keyboard.press("Enter")
    tab.page.get_by_role("heading", name="Check your inbox").wait_for()
    assert applicant.newest().email == "zoe@example.com"
    tab.page.goto(f"{tab.origin}{applicant.path}")
    tab.page.get_by_label("Email address").fill("bob@gmial.com")
    tab.page.keyboard.press("Enter")
    tab.page.get_by_role("button", name="Yes, use that").click()
    tab.page.get_by_role("heading", name="Check your inbox").wait_for()
    assert applicant.newest().email == "bob@gmail.com"


def test_whoever_fills_in_the_trap_is_held(chromium, port, world):
    origin, applicant = world
    tab = open_tab(chromium, port, script=True)
    tab.page.goto(origin)
    tab.page.get_by_label("Email").fill(ZOE)
    tab.page.evaluate("document.querySelector('[name=nickname_2]').value = 'x'")
    tab.page.get_by_role("button", name="Sign up").click()
    press(tab.page)
    tab.page.get_by_role("heading", name="Check your inbox").wait_for()
    assert (applicant.newest().status, applicant.newest().reason) == (HELD, "trapped")


@pytest.mark.parametrize("accent", ["", "#e8b004"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_is_accessible_and_fits_in_each_language(chromium, port, app, site, language, accent):
    words, query = table(language), f"?lang={language}"
    form = form_of(site, wording=WORDING, fields=FIELDS, intro={language: "Boats, weather,\npeople."})
    looks.change(site, sent(accent=accent, base_url=""), b"", False, COMMAND_LINE)
    applicant, tab = Applicant(app.test_client(), site, form), open_tab(chromium, port, script=True)
    tab.page.route("**/pages.js*", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page, prefix = tab.page, f"sign-up-{language}{'-look' if accent else ''}"

    def look(name, heading):
        page.get_by_role("heading", name=words[heading]).first.wait_for()
        looked_at(tab, f"{prefix}-{name}")

    page.goto(f"{tab.origin}{applicant.path}{query}")
    looked_at(tab, f"{prefix}-form")
    page.locator("#email").fill("anna.berg.of.the.fjord@gmial.com")
    page.locator("#last_name").fill("Berg")
    page.locator("button.go").click()
    looked_at(tab, f"{prefix}-typo")
    page.get_by_role("button", name=words["keep_mine"]).click()
    look("step", "one_more")
    page.evaluate(SHOW_MOMENT)
    look("moment", "moment")
    page.evaluate(SHOW_BUTTON)
    page.wait_for_timeout(3_100)
    page.locator("button.go").click()
    page.locator("summary").click()
    look("mailbox", "mailbox")
    path = applicant.confirm_path()
    page.goto(f"{tab.origin}{path}{query}")
    look("confirm", "confirm")
    page.goto(f"{tab.origin}{path}/decline{query}")
    look("not-me", "not_me")
    page.locator("button.go").click()
    look("deleted", "deleted")
    page.goto(f"{tab.origin}{path}{query}")
    look("too-old", "broken")
    applicant.sign_up("anna.berg@example.com", last_name="Berg")
    page.goto(f"{tab.origin}{applicant.confirm_path()}{query}")
    page.locator("button.go").click()
    look("welcome", "welcome")
    for _ in range(100):
        applicant.ask("x")
    page.goto(f"{tab.origin}{applicant.path}{query}")
    page.locator("#email").fill(ZOE)
    page.locator("#last_name").fill("Berg")
    page.locator("button.go").click()
    look("crowded", "wait")
    forms.set_state(site, form.id, "paused")
    page.goto(f"{tab.origin}{applicant.path}{query}")
    look("paused", "paused")
    assert [each for each in tab.problems if "status of 4" not in each] == []
