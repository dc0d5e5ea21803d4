"""In a real browser: from the first link to a first import, form and key, in a counted number of presses."""

from dataclasses import replace
from typing import Any

import pytest

from audience.access import sessions, sign_in, sites
from audience.forms import forms
from audience.operations import first_site, site_lane
from audience.subscribers import stats
from tests.console.browser import SET_UP
from tests.console.chromium import Visitor, looked_at
from tests.file_jobs import do_files
from tests.service import PATIENCE_SECONDS

WIDTHS = (390, 1280)
COUNT = "addEventListener('pointerdown', () => pressed(), true)"


@pytest.fixture
def settings(settings):
    return replace(settings, smtp_url="smtp+plain://127.0.0.1:25")


@pytest.fixture
def site(app):
    return sites.create(first_site.NAME)


class Stranger(Visitor):
    """A visitor who has nothing but the first link. `presses` counts buttons, links and fields pressed."""

    presses = 0

    def press(self, role: Any, name: str) -> None:
        self.page.get_by_role(role, name=name, exact=True).first.click()

    def set_up(self) -> None:
        self.page.goto(sessions.link(self.origin, *sign_in.console_link()))
        for label, name in (("Your e-mail", "email"), ("Password", "password"), ("Name of your", "name")):
            self.page.get_by_label(label).fill(SET_UP[name])
        looked_at(self, "first-link")
        self.press("button", "Begin")
        self.page.get_by_role("heading", name=SET_UP["name"]).wait_for()


@pytest.fixture(params=WIDTHS)
def stranger(port, site, chromium, request):
    size = {"width": request.param, "height": 900}
    context = chromium.new_context(viewport=size, timezone_id="Europe/Vienna", has_touch=False)
    context.set_default_timeout(PATIENCE_SECONDS * 1000)
    visitor = Stranger(context.new_page(), f"http://127.0.0.1:{port}")

    def count():
        visitor.presses += 1

    context.expose_function("pressed", count)
    context.add_init_script(COUNT)
    visitor.set_up()
    yield visitor
    assert visitor.problems == []
    context.close()


def test_the_first_link_names_the_site_and_takes_the_browsers_time_zone(stranger, site):
    named = sites.get(site.id)
    assert (named.name, named.time_zone) == (SET_UP["name"], "Europe/Vienna")
    looked_at(stranger, "beginning")


def test_a_first_import_takes_five_presses(stranger, site, settings, tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("email,first_name\nann@a.example,Ann\nbob@a.example,Bob\n")
    page = stranger.page
    with page.expect_file_chooser() as chosen:
        page.get_by_label("File, up to").click()
    chosen.value.set_files(file)
    page.get_by_text("Everybody", exact=True).click()
    stranger.press("button", "Use this answer")
    stranger.press("button", "Import 2 rows")
    page.get_by_text("Reading the file").wait_for()
    do_files(settings.instance)
    site_lane.drain(site.id, 30)
    assert (stats.for_site(site).users, stranger.presses) == (2, 5)


def test_a_first_form_takes_five_presses(stranger, site):
    page = stranger.page
    stranger.press("link", "Make a form")
    page.get_by_text("Save them to continue with the form").wait_for()
    looked_at(stranger, "first-pages")
    typed = {
        "name": SET_UP["name"],
        "privacy": "https://harbour.example/privacy",
        "mail_from": "letters@harbour.example",
    }
    for name, value in typed.items():
        page.locator(f"#{name}").fill(value)
    stranger.press("button", "Save")
    page.get_by_role("heading", name="A new form").wait_for()
    looked_at(stranger, "first-form")
    stranger.press("button", "Make the form")
    stranger.press("button", "Save and open")
    page.get_by_text("The form is open").wait_for()
    [form] = forms.list_all(site)
    assert (form.state, stranger.presses) == ("open", 5)


def test_a_first_key_takes_two_presses(stranger):
    stranger.press("button", "Make a key")
    call = stranger.page.get_by_label("First API call").inner_text()
    assert (call.startswith("curl "), stranger.presses) == (True, 2)
    looked_at(stranger, "first-key")


def test_a_demo_site_takes_two_presses(stranger):
    stranger.press("button", "Make a demo site")
    stranger.page.get_by_role("heading", name="Overview").wait_for()
    assert ([stats.for_site(each).users for each in sites.list_all()], stranger.presses) == ([0, 2000], 2)
