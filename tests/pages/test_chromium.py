"""In a real browser: from a link to unsubscribing, undo and a reason, in each language, without script.

`AUDIENCE_PICTURES` names a folder for pictures.
"""

import contextlib
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error

from audience.access.audit_log import COMMAND_LINE
from audience.looks import looks
from audience.looks.looks import LANGUAGES
from audience.pages.texts import table
from tests.audience.looks.test_looks import sent
from tests.console.chromium import PICTURES, THEMES
from tests.console.chromium import Visitor as Tab
from tests.stored_people import found

LOGO = Path(__file__).parent / "logo.png"
SMALL = """[...document.querySelectorAll("button, select, footer a, .top a, .pick")].filter(
  (part) => part.checkVisibility() && part.getBoundingClientRect().height < 44).length"""


@pytest.fixture(params=["", "#e8b004"])
def accent(request, zoe):
    """Of a site without a look, and of one with all of it."""
    if request.param:
        logo = LOGO.read_bytes()
        looks.change(zoe.site, sent(accent=request.param), logo, False, COMMAND_LINE)
    return request.param


def open_tab(chromium, port: int, script: bool, width: int = 320) -> Tab:
    context: Any = chromium.new_context(
        viewport={"width": width, "height": 844}, java_script_enabled=script, locale="sv-SE"
    )
    return Tab(context.new_page(), f"http://127.0.0.1:{port}")


def looked_at(tab: Tab, name: str) -> None:
    """A page that is accessible in both schemes and fits at 320 px; a picture of it, if they are kept."""
    for scheme in THEMES:
        tab.page.emulate_media(color_scheme=scheme)
        assert tab.violations() == [], (name, scheme)
        assert tab.overflow() <= 0, (name, scheme)
        assert tab.page.evaluate(SMALL) == 0, name
        if PICTURES:
            tab.page.set_viewport_size({"width": 390, "height": 844})
            tab.page.screenshot(path=Path(PICTURES) / f"{name}-390-{scheme}.png", full_page=True)
            tab.page.set_viewport_size({"width": 320, "height": 844})
    assert tab.page.locator("h1:visible").count() == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_is_accessible_and_fits_in_each_language(chromium, port, zoe, accent, language):
    words, tab, query = table(language), open_tab(chromium, port, script=True), f"?lang={language}"
    page, prefix = tab.page, f"{language}{'-look' if accent else ''}"
    page.goto(f"{tab.origin}/preferences/{zoe.preferences()}{query}")
    looked_at(tab, f"{prefix}-preferences")
    page.get_by_role("button", name=words["save"]).click()
    page.get_by_text(words["saved"]).wait_for()
    looked_at(tab, f"{prefix}-saved")
    page.goto(f"{tab.origin}/unsubscribe/{zoe.token()}{query}")
    looked_at(tab, f"{prefix}-ask")
    page.get_by_role("button", name=words["unsubscribe_button"]).click()
    page.get_by_role("heading", name=words["unsubscribed"]).wait_for()
    looked_at(tab, f"{prefix}-left")
    page.get_by_label(words["too_many"]).check()
    page.get_by_role("button", name=words["why_button"]).click()
    page.get_by_text(words["thanks"]).wait_for()
    looked_at(tab, f"{prefix}-reason")
    page.get_by_role("button", name=words["undo"]).click()
    page.get_by_role("heading", name=words["back"]).wait_for()
    looked_at(tab, f"{prefix}-back")
    zoe.unsubscribe()
    page.goto(f"{tab.origin}/unsubscribe/{zoe.token()}{query}")
    page.get_by_role("heading", name=words["come_back"]).wait_for()
    looked_at(tab, f"{prefix}-come-back")
    assert tab.problems == []
    assert page.context.cookies() == []
    page.goto(f"{tab.origin}/unsubscribe/x{query}")
    looked_at(tab, f"{prefix}-broken")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_that_says_no_is_accessible_and_fits_too(chromium, port, zoe, language, monkeypatch):
    words, tab, query = table(language), open_tab(chromium, port, script=True), f"?lang={language}"
    page, path = tab.page, f"{tab.origin}/unsubscribe/{zoe.token()}"
    page.goto(path + query)
    page.get_by_role("button", name=words["unsubscribe_button"]).click()
    page.get_by_role("heading", name=words["unsubscribed"]).wait_for()
    zoe.unsubscribe()
    page.get_by_role("button", name=words["undo"]).click()
    page.get_by_role("heading", name=words["late"]).wait_for()
    looked_at(tab, f"{language}-late")
    with monkeypatch.context() as patched:
        patched.setattr("audience.links.unsubscribing.find", lambda _: (None, None))
        page.goto(path + query)
    assert page.locator("h1").inner_text() == words["unknown"]
    looked_at(tab, f"{language}-unknown")
    for _ in range(99):
        zoe.get("/unsubscribe/x")
    page.goto(f"{path}x{query}")
    assert page.locator("h1").inner_text() == words["wait"]
    looked_at(tab, f"{language}-wait")
    with monkeypatch.context() as patched:
        patched.setattr("audience.links.links.read", None)
        page.goto(path + query)
    assert page.locator("h1").inner_text() == words["failed"]
    looked_at(tab, f"{language}-failed")


def test_long_words_of_a_look_fit(chromium, port, zoe):
    word = "donaudampfschifffahrtsgesellschaftsnachrichten"
    look = sent(name=word.capitalize(), home=f"https://{word}.example")
    looks.change(zoe.site, look, b"", False, COMMAND_LINE)
    tab = open_tab(chromium, port, script=True)
    tab.page.goto(f"{tab.origin}/unsubscribe/{zoe.token()}")
    for part in (".top .name", "footer a"):
        edge = tab.page.locator(part).first.evaluate("part => part.getBoundingClientRect().right")
        assert edge <= 320, part
    assert tab.overflow() <= 0


@pytest.mark.parametrize("width", [320, 1280])
def test_all_is_done_without_script(chromium, port, zoe, width):
    tab = open_tab(chromium, port, script=False, width=width)
    page, path = tab.page, f"{tab.origin}/unsubscribe/{zoe.token()}"
    page.goto(f"{path}).", referer="https://mail.example/")
    assert zoe.is_subscribed()
    page.get_by_role("button", name="Unsubscribe").click()
    page.get_by_role("heading", name="You’re unsubscribed").wait_for()
    assert not zoe.is_subscribed()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("heading", name="You’re back").wait_for()
    assert zoe.is_subscribed()
    page.goto(path)
    page.get_by_role("button", name="Unsubscribe").click()
    page.get_by_label("I never signed up").check()
    page.get_by_role("button", name="Send the reason").click()
    page.get_by_text("We noted: I never signed up.").wait_for()
    assert not zoe.is_subscribed()
    assert tab.problems == []


def test_the_language_is_chosen_in_the_footer_and_kept_on_the_page(chromium, port, zoe):
    tab = open_tab(chromium, port, script=False)
    tab.page.goto(f"{tab.origin}/preferences/{zoe.preferences()}")
    tab.page.get_by_role("link", name="Nederlands").click()
    tab.page.get_by_role("heading", name="Wat u krijgt").wait_for()
    tab.page.get_by_role("combobox", name="Taal").select_option("Français")
    tab.page.get_by_role("button", name="Opslaan").click()
    tab.page.get_by_role("heading", name="Ce que vous recevez").wait_for()
    assert found(zoe.site, "zoe@example.com").fields["language"] == "fr"
    assert tab.problems == []


def test_back_after_an_undo_changes_nothing(chromium, port, zoe):
    tab = open_tab(chromium, port, script=True)
    tab.page.goto(f"{tab.origin}/unsubscribe/{zoe.token()}")
    tab.page.get_by_role("button", name="Unsubscribe").click()
    tab.page.get_by_role("button", name="Undo").click()
    tab.page.get_by_role("heading", name="You’re back").wait_for()
    first = tab.page.get_by_text("Nothing changes until you press the button.")
    for _ in range(5):
        if first.is_visible():
            break
        with contextlib.suppress(Error):  # the answer of a POST is not kept, and not asked for again
            tab.page.go_back()
        assert zoe.is_subscribed()
        tab.page.wait_for_timeout(200)
    assert first.is_visible()


def test_of_two_devices_neither_undoes_what_the_other_did_later(chromium, port, zoe):
    first, second = (open_tab(chromium, port, script=True).page for _ in range(2))
    for page in (first, second):
        page.goto(f"http://127.0.0.1:{port}/unsubscribe/{zoe.token()}")
    for page in (first, second):
        page.get_by_role("button", name="Unsubscribe").click()
        page.get_by_role("heading", name="You’re unsubscribed").wait_for()
    assert second.get_by_role("button", name="Undo").count() == 0
    first.get_by_role("button", name="Undo").click()
    first.get_by_role("heading", name="That’s no longer possible").wait_for()
    assert not zoe.is_subscribed()


def test_no_address_that_a_page_leads_to_is_told_of_the_link(chromium, port, zoe):
    looks.change(zoe.site, sent(), b"", False, COMMAND_LINE)
    tab = open_tab(chromium, port, script=True)
    tab.page.route("https://harbour-letters.example/**", lambda route: route.fulfill(body="home"))
    for path in (f"/unsubscribe/{zoe.token()}", f"/preferences/{zoe.preferences()}"):
        tab.page.goto(f"{tab.origin}{path}")
        with tab.page.expect_request("https://harbour-letters.example/**") as asked:
            tab.page.locator("footer a").first.click()
        assert not {"referer", "origin", "cookie"} & asked.value.all_headers().keys()
        assert path.rpartition("/")[2] not in asked.value.url
