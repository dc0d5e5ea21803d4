"""In a real browser: what an operator sees while others write, and that nothing typed is lost."""

from dataclasses import replace

import pytest

from audience.access import operators, sessions, sites
from audience.access.audit_log import COMMAND_LINE
from tests.console.chromium import visit
from tests.console.screens import fill
from tests.console.test_busy import others_writing

EMAIL = "mara@example.com"


@pytest.fixture
def settings(settings):
    return replace(settings, database_timeout=0.3)


@pytest.fixture
def port(port, site, monkeypatch):
    monkeypatch.setattr(sessions, "_refused_at", sessions._refused_at)
    fill(site)
    operators.add(EMAIL, True, {site: "owner"}, COMMAND_LINE)
    return port


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("width", [360, 1280])
def test_a_form_waits_on_the_page_that_says_so(chromium, port, site, width, script):
    visitor = visit(chromium, port, EMAIL, width, "light", script)
    visitor.open(f"/sites/{site.uuid}/settings")
    page = visitor.page
    page.get_by_text("Change the name").click()
    page.get_by_label("Name", exact=True).fill("Herons & <Reeds>")
    with others_writing():
        page.get_by_role("button", name="Save").click()
        page.get_by_text("Nothing was saved.").wait_for()
        assert (visitor.overflow(), visitor.sticking_out()) == (0, [])
        for theme in ("light", "dark") if script else ():
            page.emulate_media(color_scheme=theme)
            assert visitor.violations() == []
        page.get_by_role("button", name="Try again").click()
        page.get_by_text("Nothing was saved.").wait_for()
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("heading", name="Settings").wait_for()
    assert sites.get_by_uuid(site.uuid).name == "Herons & <Reeds>"


def test_a_file_stays_chosen(chromium, port, site, tmp_path):
    file = tmp_path / "guests.csv"
    file.write_text("email\nann@a.example\n")
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}/imports/new")
    page, send = visitor.page, visitor.page.get_by_role("button", name="Send the file")
    with others_writing():
        page.get_by_label("File, up to").set_input_files(file)
        page.get_by_role("status").get_by_text("Nothing was saved.").wait_for()
    send.click()
    page.wait_for_url("**/files/*")
    page.get_by_text("guests.csv").first.wait_for()


def test_what_is_typed_into_the_search_stays(chromium, port, site):
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}/subscribers")
    page = visitor.page
    with others_writing():
        with page.expect_response(lambda response: response.status == 503):
            page.get_by_role("searchbox").press_sequentially("p1")
        page.wait_for_load_state("networkidle")
        assert page.get_by_role("searchbox").input_value() == "p1"
        assert page.get_by_label("Select p2@a.example").is_visible()
    page.keyboard.press("Enter")
    page.get_by_label("Select p2@a.example").wait_for(state="detached")
    assert page.get_by_text("Begins with p1").is_visible()


def test_a_file_is_tried_once_the_others_have_written(chromium, port, site, tmp_path):
    file = tmp_path / "guests.csv"
    file.write_text("email\nann@a.example\n")
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}/imports/new")
    page = visitor.page
    page.get_by_label("File, up to").set_input_files(file)
    page.wait_for_url("**/files/*")
    page.get_by_label("Everybody").check()
    page.get_by_role("button", name="Use this answer").click()
    page.get_by_text("Of 1 row, 1 would add a subscriber").wait_for()
    with others_writing():
        page.reload()
        page.get_by_text("Not checked yet").wait_for()
        page.route(page.url, lambda route: route.fulfill(status=503, body="<main>Not now</main>"), times=2)
        with page.expect_response(lambda response: response.status == 503):
            page.get_by_text("Not checked yet").wait_for()
    page.get_by_text("Of 1 row, 1 would add a subscriber").wait_for()
    assert page.get_by_text("Not available now").count() == 0
