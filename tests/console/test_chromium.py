"""In a real browser: every page at both widths and in both themes, with and without script."""

import re
from pathlib import Path

import pytest

from audience.access import operators
from audience.access.audit_log import COMMAND_LINE
from audience.changes.changes import change_from_item
from audience.erasures import erasures
from audience.forms import forms
from audience.operations import site_lane
from audience.sign_ups import sign_ups
from audience.sign_ups.sign_ups import SignUpRequest
from audience.subscribers import subscribers
from storage import database
from tests.console.browser import signed_in
from tests.console.chromium import PICTURES, THEMES, visit
from tests.console.screens import HOSTILE, INSTANCE_PATHS, PLAIN, fill, site_paths
from tests.console.test_file_uploads import asked
from tests.console.test_subscriber_list import add
from tests.file_jobs import do_files
from tests.jobs import run_bulk_actions

EMAIL = "mara@example.com"
PEERS = Path(__file__).parents[1] / "schemas" / "data" / "peers"
WIDTHS = (360, 1280)


@pytest.fixture
def port(port, site, other_site):
    operators.add(EMAIL, True, {site: "owner", other_site: "owner"}, COMMAND_LINE)
    return port


@pytest.fixture
def paths(app, site, other_site):
    fill(site, PLAIN)
    file = next(PEERS.glob("unsubscribed_email*"))
    manager = signed_in(app, "meg@example.com", {site: "manager"})
    asking = asked(manager, f"/sites/{site.uuid}/imports", file.read_text(), file.name)
    unconfirmed = [_come_in_unconfirmed(site, f"{name}@c.example") for name in ("to.ask", "asked")]
    [form] = forms.list_all(site)
    forms.set_event_mode(site, form.id, True, COMMAND_LINE)
    sign_ups.accept(site, form, SignUpRequest("asked@c.example"))
    return [
        *dict.fromkeys([*site_paths(site), *unconfirmed, asking]),
        *INSTANCE_PATHS,
        f"/sites/{other_site.uuid}",
    ]  # fmt: skip


def _come_in_unconfirmed(site, email):
    """The page of a subscriber who did."""
    with database.write(site.id):
        change = change_from_item({"email": email, "unconfirmed": True}, 1)
        subscribers.write(site.id, [change], subscribers.accept_now(site.id))
    found = subscribers.find(site, email)
    assert found is not None
    return f"/sites/{site.uuid}/subscribers/{found.uuid}"


@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_is_accessible_and_fits(chromium, port, paths, width):
    visitor = visit(chromium, port, EMAIL, width, "light")
    for path in [*paths, "/sign-in", "/forgotten", "/link", "/first"]:
        visitor.open(path)
        for theme in THEMES:
            visitor.page.emulate_media(color_scheme=theme)
            assert visitor.violations() == [], (path, theme)
            assert visitor.overflow() <= 0, (path, theme)
        assert visitor.sticking_out() == [], path
    assert visitor.problems == []


@pytest.mark.parametrize("width", WIDTHS)
def test_hostile_names_do_nothing_and_fit(chromium, port, site, width):
    fill(site, HOSTILE)
    visitor = visit(chromium, port, EMAIL, width, "light")
    visitor.page.on("dialog", lambda dialog: visitor.problems.append(dialog.message))
    for path in dict.fromkeys(site_paths(site)):
        visitor.open(path)
        assert visitor.overflow() <= 0, path
    assert visitor.problems == []


def test_it_reads_without_script(chromium, port, site, paths):
    visitor = visit(chromium, port, EMAIL, 1280, "light", script=False)
    visitor.open(f"/sites/{site.uuid}")
    page = visitor.page
    page.get_by_label("Find a person").fill("p1@")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="p1@a.example").click()
    assert "p1@a.example" in page.inner_text("h1, .head")
    page.go_back()
    page.get_by_role("link", name="Remove the search text").click()
    page.get_by_text("Add a filter").click()
    page.get_by_label("Status").select_option("unsubscribed")
    page.get_by_role("button", name="Filter").click()
    assert page.get_by_role("link", name="p0@a.example").is_visible()
    page.get_by_role("link", name="Checks").click()
    page.get_by_label("Address", exact=True).fill("nonsense")
    page.get_by_role("button", name="Check").click()
    assert page.get_by_text("Not valid").first.is_visible()
    assert visitor.problems == []


def test_the_keyboard_reaches_the_content_and_the_search(chromium, port, site, paths):
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}")
    visitor.page.keyboard.press("Tab")
    assert visitor.page.evaluate("document.activeElement.textContent") == "Skip to the content"
    visitor.page.keyboard.press("/")
    assert visitor.page.evaluate("document.activeElement.id") == "find"


def test_the_theme_can_be_chosen_and_is_kept(chromium, port, site, paths):
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = visitor.page.evaluate(paper)
    visitor.page.locator("details.me summary").click()
    visitor.page.get_by_role("button", name="Dark").click()
    dark = visitor.page.evaluate(paper)
    visitor.open(f"/sites/{site.uuid}/subscribers")
    assert visitor.page.evaluate(paper) == dark != light


def test_the_first_page_is_light(chromium, port, site, paths):
    """All of it, as it is sent."""
    visitor, sizes = visit(chromium, port, EMAIL, 1280, "light"), []
    visitor.page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    visitor.open(f"/sites/{site.uuid}")
    visitor.page.wait_for_load_state("networkidle")
    assert 4 <= len(sizes) <= 8
    assert sum(sizes) < 60_000


def test_a_segment_is_built_with_the_keyboard_alone(chromium, port, site, paths):
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}/segments/new")
    page, keyboard = visitor.page, visitor.page.keyboard
    page.get_by_label("Name", exact=True).focus()
    keyboard.type("Pros")
    page.get_by_role("button", name="Condition", exact=True).focus()
    keyboard.press("Enter")
    page.locator(":focus").select_option("field:plan")
    page.get_by_label("Value of plan").focus()
    keyboard.type("pro")
    page.get_by_role("button", name="Group", exact=True).focus()
    keyboard.press("Enter")
    page.locator(".grp .grp .gh select:focus").wait_for()
    page.get_by_text("Subscribers who are subscribed and whose plan is pro.").wait_for()
    page.get_by_label("Value of Tag").focus()
    keyboard.type("vip")
    words = "Subscribers who are subscribed, whose plan is pro, and who carry the tag vip."
    page.get_by_text(words).wait_for()
    assert page.locator(".cond .n").all_inner_texts() == ["5", "1", "6"]
    assert page.locator("[data-people] .big").inner_text() == "1"
    assert page.locator("[data-people] .who a").all_inner_texts() == ["p1@a.example"]
    assert visitor.violations() == []
    page.get_by_role("button", name="Save").focus()
    keyboard.press("Enter")
    page.get_by_role("heading", name="Pros").wait_for()
    assert visitor.problems == []


def test_the_keyboard_stays_where_a_condition_or_a_group_was_taken_out(chromium, port, site, paths):
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}/segments/new")
    page = visitor.page
    group, condition = (page.get_by_role("button", name=name, exact=True) for name in ("Group", "Condition"))
    group.last.press("Enter")
    condition.first.press("Enter")
    page.locator(":focus").select_option("email")
    page.get_by_role("button", name="Remove this condition").nth(1).press("Enter")
    assert page.locator(".cond select:focus").input_value() == "email"
    page.get_by_role("button", name="Remove this group").press("Enter")
    assert page.locator(".cond select:focus").input_value() == "status"


def test_a_file_that_an_erasure_deleted_is_sent_again_as_it_is_chosen(
    chromium, port, site, settings, tmp_path
):
    file = tmp_path / "guests.csv"
    file.write_text("email\ngus@a.example\n")
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}/imports/new")
    page = visitor.page
    page.get_by_label("File, up to").set_input_files(file)
    page.get_by_label("Tags for everyone").fill("fair")
    page.get_by_role("button", name="Check again").click()
    add(site, {"email": "gus@a.example"})
    assert erasures.erase(site, settings.instance, "gus@a.example")
    do_files(settings.instance)
    page.reload()
    page.get_by_text("so the file was deleted").wait_for()
    page.get_by_label("File, up to").set_input_files(file)
    page.get_by_label("Tags for everyone").wait_for()
    assert page.get_by_label("Tags for everyone").input_value() == "fair"


def test_a_file_is_imported_with_the_keyboard_alone(chromium, port, site, paths, settings, tmp_path):
    file = tmp_path / "guests.csv"
    file.write_text("Wer,Vorname,Stufe\nann@a.example,Ann,pro\np1@a.example,Eve,pro\nnobody,Cy,pro\n")
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}/imports/new")
    page, keyboard = visitor.page, visitor.page.keyboard
    page.get_by_label("File, up to").set_input_files(file)
    page.get_by_text("choose below which one does").wait_for()
    page.get_by_label("What column 1 becomes").focus()
    page.locator(":focus").select_option("email")
    page.get_by_label("Everybody").focus()
    keyboard.press("Space")
    page.get_by_role("button", name="Check again").focus()
    keyboard.press("Enter")
    page.get_by_text("Of 3 rows, 1 would add a subscriber, 1 would change one").wait_for()
    assert visitor.violations() == []
    page.get_by_role("button", name="Import 2 rows").focus()
    keyboard.press("Enter")
    page.get_by_text("Reading the file").wait_for()
    do_files(settings.instance)
    page.get_by_text("Result of the rows").wait_for()
    lamp = page.get_by_role("link", name="Importing, 0%")
    lamp.wait_for()
    site_lane.drain(site.id, 30)
    page.get_by_text("1 added a subscriber, 1 changed one").wait_for()
    assert lamp.count() == 0
    assert visitor.problems == []


PHPLIST = (
    "Email,Is this subscriber confirmed,Is this subscriber blacklisted,Entered,List Membership\n"
    "p1@a.example,1,0,2024-01-02,News\nann@a.example,1,0,2024-01-03,News\nbob@a.example,0,1,2024-01-04,News\n"
)
SHOPIFY = (
    "First Name,Last Name,Email,Accepts Email Marketing,State\nAnn,Lee,ann@a.example,yes,disabled\n"
    "Bob,Ray,bob@a.example,no,enabled\nCy,Dee,cy@a.example,,disabled\n"
)


@pytest.mark.parametrize(
    ("name", "text", "column", "told", "left"),
    [
        ("phplist.csv", PHPLIST, "Is this subscriber blacklisted", ["Subscribed", "Unsubscribed"], ["bob"]),
        (
            "shopify.csv",
            SHOPIFY,
            "Accepts Email Marketing",
            ["Subscribed", "Unsubscribed", "Unconfirmed"],
            ["bob", "cy"],
        ),
        ("plain.csv", "email\nann@a.example\n", "", [], []),
    ],
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_who_may_be_written_to_is_asked(
    chromium, port, site, paths, settings, tmp_path, name, text, column, told, left, theme
):
    file = tmp_path / name
    file.write_text(text)
    visitor = visit(chromium, port, EMAIL, 1280, theme)
    visitor.open(f"/sites/{site.uuid}/imports/new")
    page = visitor.page
    page.get_by_label("File, up to").set_input_files(file)
    page.get_by_role("heading", name="Who in this file may be written to?").wait_for()
    assert page.locator("[name=consent]:checked").count() == 0
    assert page.get_by_role("button", name="Import", exact=True).is_disabled()
    look(visitor, f"{name}-1-{theme}")
    if column:
        page.get_by_label("A column says who").check()
        page.get_by_label("The column that says who").select_option(column)
        page.get_by_role("button", name="Use this answer").click()
        page.get_by_text("Choose what it means").first.wait_for()
        look(visitor, f"{name}-2-{theme}")
        for number, state in enumerate(told):
            page.get_by_role("radiogroup").nth(number).get_by_label(state, exact=True).check(force=True)
    else:
        page.get_by_label("Everybody").check()
    page.get_by_role("button", name="Use this answer").click()
    start = page.get_by_role("button", name=re.compile(r"Import \d+ row"))
    start.wait_for()
    look(visitor, f"{name}-3-{theme}")
    start.click()
    page.get_by_text("Reading the file").wait_for()
    do_files(settings.instance)
    site_lane.drain(site.id, 30)
    found = [each for each in ("bob", "cy") if is_left(site, f"{each}@a.example")]
    assert found == left
    assert not is_left(site, "ann@a.example")
    assert visitor.problems == []


def look(visitor, name):
    """Nothing is wrong with the page; a picture of it is kept where one is asked for."""
    assert visitor.violations() == []
    if PICTURES:
        visitor.page.screenshot(path=f"{PICTURES}/{name}.png", full_page=True)


def is_left(site, email):
    found = subscribers.find(site, email=email)
    return found is not None and found.unsubscribed_at is not None


def test_ticked_people_are_tagged_and_the_page_follows(chromium, port, site, paths, tmp_path):
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}/subscribers")
    page = visitor.page
    assert page.get_by_role("button", name="Untag").is_disabled()
    page.get_by_label("Select p1@a.example").check()
    page.get_by_label("Select p2@a.example").check()
    assert page.get_by_text("2 selected").is_visible()
    page.get_by_role("button", name="Tag", exact=True).click()
    page.get_by_label("Tag", exact=True).fill("fair")
    page.get_by_role("button", name="Tag 2 subscribers").click()
    page.get_by_text("This continues if you leave the page").wait_for()
    run_bulk_actions(tmp_path)
    page.get_by_text("2 subscribers tagged fair").wait_for()
    assert page.locator("[data-live]").count() == 0
    assert visitor.problems == []


def test_the_list_follows_what_is_typed(chromium, port, site, paths):
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}/subscribers?status=subscribed&page=1")
    page = visitor.page
    page.get_by_role("searchbox").press_sequentially("p1")
    page.get_by_label("Select p2@a.example").wait_for(state="detached")
    assert page.evaluate("document.activeElement.id") == "text"
    assert page.get_by_text("Begins with p1").is_visible()
    page.get_by_label("Select p1@a.example").check()
    assert page.get_by_text("1 selected").is_visible()
    assert "/subscribers?status=subscribed&kept=" in page.url
    assert "p1" not in page.url
    page.reload()
    assert page.get_by_label("Select p2@a.example").count() == 0
    assert visitor.problems == []


def test_a_chart_says_what_is_under_the_pointer(chromium, port, site, paths):
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}?step=month&period=all")
    tip, plots = visitor.page.locator(".tip"), visitor.page.locator(".chart svg[role=img]")
    for plot in (plots.nth(0), plots.nth(1)):
        strip = plot.locator(".hv").last
        x, y = strip.evaluate("(strip) => [strip.getBoundingClientRect().x, strip.getBoundingClientRect().y]")
        visitor.page.mouse.move(x, y + 9)
        assert tip.inner_text() == strip.text_content()
    visitor.page.locator("h1").hover()
    assert tip.count() == 0
    assert visitor.problems == []
