"""In a real browser: walks through several screens."""

from pathlib import Path

import pytest

from audience.access import operators, sessions, sign_in, sites
from audience.access.audit_log import COMMAND_LINE, Actor
from audience.bulk import actions as bulk_actions
from audience.operations import site_deletions
from audience.reports import reports
from audience.searches import lists as subscriber_lists
from audience.segments import segments
from audience.subscribers import subscribers
from storage import database
from tests.console.chromium import looked_at, visit
from tests.console.conftest import PASSWORD
from tests.console.screens import PLAIN, fill
from tests.jobs import run_bulk_actions, run_due
from tests.two_factor import code_of

EMAIL, OTHER = "mara@example.com", "max@example.com"
LOGO = Path(__file__).parent.parent / "pages" / "logo.png"


@pytest.fixture
def port(port, site):
    fill(site, PLAIN)
    for email in (EMAIL, OTHER):
        token = operators.add(email, True, {site: "owner"}, COMMAND_LINE)
        sessions.end_by_token(sign_in.set_password_with_link(token, PASSWORD, ""))
    return port


def listed(page):
    return sorted(page.locator("td .who a").all_inner_texts())


@pytest.mark.parametrize("width", [360, 1280])
def test_a_search_is_of_its_list_alone(chromium, port, site, width):
    visitor = visit(chromium, port, EMAIL, width, "light")
    visitor.open(f"/sites/{site.uuid}/subscribers")
    page, everybody = visitor.page, len(listed(visitor.page))
    page.get_by_role("searchbox").press_sequentially("p1@")
    page.get_by_text("Begins with p1@").wait_for()
    page.get_by_label("Select p2@a.example").wait_for(state="detached")
    page.get_by_text("Add a filter").click()
    page.get_by_label("Status").select_option("subscribed")
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("link", name="Remove the filter: Subscribed").wait_for()
    looked_at(visitor, "kept-list")
    found = page.url
    assert (listed(page), "p1" in found) == (["p1@a.example"], False)
    page.get_by_label("the one who matches").check()
    page.get_by_role("button", name="Unsubscribe", exact=True).click()
    page.get_by_role("heading", name="Unsubscribe 1 subscriber?").wait_for()
    assert page.locator(".chips li").all_inner_texts() == ["Subscribed", "Begins with p1@"]
    looked_at(visitor, "kept-act")
    page.get_by_role("link", name="Cancel").click()
    assert listed(page) == ["p1@a.example"]
    page.get_by_role("link", name="Save as a segment").click()
    page.get_by_text("whose address begins with p1@").first.wait_for()
    looked_at(visitor, "kept-segment")
    page.get_by_role("link", name="Subscribers", exact=True).click()
    assert len(listed(page)) == everybody
    page.goto(found)
    page.get_by_role("link", name="Clear filters").click()
    page.wait_for_url("**/subscribers")
    assert len(listed(page)) == everybody
    assert visitor.problems == []


@pytest.mark.parametrize("width", [390, 1280])
def test_a_person_is_added_with_the_keyboard_alone(chromium, port, site, width):
    visitor = visit(chromium, port, EMAIL, width, "light")
    visitor.open(f"/sites/{site.uuid}/subscribers")
    page = visitor.page
    page.get_by_role("link", name="Add a person").press("Enter")
    page.get_by_label("E-mail address").press_sequentially("P1@a.example")
    page.keyboard.press("Enter")
    assert page.locator(":invalid[name=consent]").count() == 3
    assert page.get_by_role("radio", checked=True).count() == 0
    looked_at(visitor, "addition")
    page.get_by_role("radio", name="Yes").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.get_by_role("radio", name="Not yet").is_checked()
    page.keyboard.press("Enter")
    page.get_by_text("nothing was changed").wait_for()
    assert page.get_by_role("radio", name="Not yet").is_checked()
    assert page.get_by_role("link", name="Open p1@a.example").is_visible()
    looked_at(visitor, "addition-refused")
    visitor.problems.remove(
        "Failed to load resource: the server responded with a status of 422 (UNPROCESSABLE ENTITY)"
    )
    page.get_by_label("E-mail address").fill("new@a.example")
    page.keyboard.press("Enter")
    page.get_by_text("The person was added.").wait_for()
    looked_at(visitor, "added")
    added = subscribers.find(site, "new@a.example")
    assert added is not None
    assert subscribers.status(added) == "unconfirmed"
    assert visitor.problems == []


@pytest.mark.parametrize("width", [360, 1280])
def test_an_empty_site_gets_its_key_and_its_first_call(chromium, port, site, width):
    visitor = visit(chromium, port, EMAIL, width, "light")
    visitor.open("/sites")
    page = visitor.page
    page.get_by_label("Name", exact=True).fill("Reeds")
    page.get_by_role("button", name="Make the site").dblclick()
    page.get_by_role("heading", name="Reeds").wait_for()
    assert [each.name for each in sites.list_all()].count("Reeds") == 1
    looked_at(visitor, "empty-site")
    page.get_by_role("button", name="Make a key").dblclick()
    page.get_by_role("heading", name="New key").wait_for()
    call = page.get_by_label("First API call").inner_text()
    assert call.count("pk_") == call.count(":sk_") == 1
    assert "…" not in call
    looked_at(visitor, "first-key")
    page.get_by_label("Audience", exact=True).click()
    page.get_by_role("heading", name="Reeds").wait_for()
    assert visitor.problems == []


def test_going_back_and_saving_again_leads_to_what_was_made(chromium, port, site):
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}/segments/new")
    page, before = visitor.page, len(segments.list_all(site))
    page.get_by_label("Name", exact=True).fill("Reeds")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name="Reeds").wait_for()
    page.go_back()
    assert page.get_by_label("Name", exact=True).input_value() == "Reeds"
    page.get_by_role("button", name="Save").click()
    page.get_by_text(
        "This form was sent before, and this page shows what it created. To create another,"
    ).wait_for()
    looked_at(visitor, "made-before")
    assert len(segments.list_all(site)) == before + 1
    assert visitor.problems == []


@pytest.mark.parametrize("way", ["reload", "type", "link"])
def test_a_page_that_is_opened_again_has_a_new_form(chromium, port, site, way):
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites?of={site.uuid}")
    page = visitor.page
    menu = page.get_by_role("link", name="Sites", exact=True)
    again = {"reload": page.reload, "type": lambda: page.goto(page.url), "link": menu.click}[way]
    for name in ("Reeds", "Herons"):
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_role("button", name="Make the site").click()
        page.get_by_role("heading", name=name).wait_for()
        page.go_back()
        page.get_by_role("heading", name="Sites", level=1).wait_for()
        with page.expect_navigation():
            again()
    assert {"Reeds", "Herons"} <= {each.name for each in sites.list_all()}
    assert visitor.problems == []


@pytest.mark.parametrize("script", [True, False])
def test_two_clicks_make_one(chromium, port, site, script):
    visitor = visit(chromium, port, EMAIL, 1280, "light", script)
    visitor.open(f"/sites/{site.uuid}/reports/new?kind=NewVisitors")
    page, before = visitor.page, len(reports.list_all(site))
    page.get_by_label("Name", exact=True).fill("Herons")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Save").dblclick()
    page.get_by_role("heading", name="Herons").wait_for()
    assert len(reports.list_all(site)) == before + 1
    assert visitor.problems == []


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("email", [EMAIL, OTHER])
def test_what_is_sent_after_the_end_of_a_session_is_shown_again(chromium, port, site, width, email):
    visitor = visit(chromium, port, EMAIL, width, "light")
    visitor.open(f"/sites/{site.uuid}/segments/new")
    page, before = visitor.page, len(segments.list_all(site))
    page.get_by_label("Name", exact=True).fill("Reeds & <b>herons</b>")
    end_sessions()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("What you sent was not saved").wait_for()
    visitor.problems.clear()  # the browser notes the status
    looked_at(visitor, "ended-sign-in")
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    if email == OTHER:
        page.get_by_role("heading", name="A new segment").wait_for()
        assert page.get_by_label("Name", exact=True).input_value() == ""
        assert len(segments.list_all(site)) == before
    else:
        page.get_by_role("heading", name="Not sent yet").wait_for()
        looked_at(visitor, "ended-again")
        assert len(segments.list_all(site)) == before
        page.get_by_role("button", name="Send it").click()
        page.get_by_role("heading", name="Reeds & <b>herons</b>").wait_for()
        assert len(segments.list_all(site)) == before + 1
    assert visitor.problems == []


def test_what_is_searched_for_after_the_end_of_a_session_is_found(chromium, port, site):
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}/subscribers")
    page = visitor.page
    end_sessions()
    page.get_by_role("searchbox").press_sequentially("p1@")
    page.get_by_label("E-mail address").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("Begins with p1@").wait_for()
    assert listed(page) == ["p1@a.example"]


def test_a_file_that_is_sent_after_the_end_of_a_session_leads_to_the_sign_in(chromium, port, site):
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}/imports/new")
    page = visitor.page
    end_sessions()
    page.get_by_label("File, up to").set_input_files(
        {"name": "a.csv", "mimeType": "text/csv", "buffer": b"E-mail\na@a.example\n"}
    )
    page.get_by_text("Your session had ended, and what you sent was not saved.").wait_for()
    page.get_by_label("E-mail address").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Import a file").wait_for()
    assert visitor.problems == []


@pytest.mark.parametrize("width", [360, 1280])
def test_an_act_that_was_not_begun_says_so(chromium, port, site, width):
    """The page that waits says it by itself."""
    ids = subscriber_lists.ids(site, subscriber_lists.ListRequest())
    new = bulk_actions.NewAction(kind="unsubscribe", ids=ids, seen=bulk_actions.fingerprint(ids))
    action_id = bulk_actions.choose(site, new, Actor(EMAIL))  # and no more
    visitor = visit(chromium, port, EMAIL, width, "light")
    visitor.open(f"/sites/{site.uuid}/acts/{action_id}")
    assert visitor.page.get_by_text("waiting").is_visible()
    with database.write(site.id):
        database.execute("UPDATE jobs SET not_before = 0 WHERE site_id = ?", [site.id])
    run_bulk_actions(Path("/nowhere"))
    visitor.page.get_by_text("The bulk action did not start").wait_for()
    looked_at(visitor, "not-begun")
    visitor.page.get_by_role("link", name="All bulk actions").click()
    visitor.page.get_by_text("not started").wait_for()
    assert visitor.problems == []


@pytest.mark.parametrize("width", [390, 1280])
def test_a_site_is_deleted_once_its_name_is_typed(chromium, port, site, settings, width):
    visitor = visit(chromium, port, EMAIL, width, "light")
    visitor.open(f"/sites/{site.uuid}/settings")
    page = visitor.page
    page.get_by_role("link", name="Delete the site").click()
    looked_at(visitor, "delete-site")
    button = page.get_by_role("button", name="Delete the site")
    assert button.is_disabled()
    page.get_by_label("Type the name of the site").fill(" Example ")
    button.click()
    page.get_by_text("A worker is deleting the site now").wait_for()
    page.get_by_text("being deleted").wait_for()
    looked_at(visitor, "deleting-site")
    run_due(site_deletions.kind(settings.instance))
    page.reload()
    assert page.get_by_text("No sites yet").is_visible()
    assert visitor.problems == []


@pytest.mark.parametrize("width", [360, 1280])
def test_the_look_of_the_pages_is_corrected_and_shown(chromium, port, site, width):
    visitor = visit(chromium, port, EMAIL, width, "light")
    visitor.open(f"/sites/{site.uuid}/settings")
    page = visitor.page
    page.get_by_role("link", name="Pages and mail").click()
    page.get_by_label("Public name").fill("Win at evil.example")
    page.get_by_label("Accent colour").fill("#E8B004")
    page.get_by_label("Logo: PNG").set_input_files(LOGO)
    page.get_by_role("button", name="Save", exact=True).first.click()
    page.get_by_role("alert").wait_for()
    visitor.problems.clear()  # the browser notes the status
    looked_at(visitor, "look-refused")
    page.get_by_label("Public name").fill("Reeds & Herons")
    page.get_by_label("Logo: PNG").set_input_files(LOGO)
    page.get_by_role("button", name="Save", exact=True).first.click()
    page.get_by_text("Black text on it: 10.6 to 1").wait_for()
    logo = page.get_by_alt_text("The logo now")
    assert logo.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 0
    looked_at(visitor, "look")
    assert visitor.problems == []


def end_sessions():
    for each in sessions.list_of(operators.get(EMAIL).id):
        sessions.end(each.id, operators.get(EMAIL).id)


@pytest.mark.parametrize("width", [390, 1280])
def test_two_factor_sign_in_is_set_up_and_asked_for(chromium, port, site, width):
    visitor = visit(chromium, port, EMAIL, width, "light")
    visitor.open("/account")
    page = visitor.page
    looked_at(visitor, "two-factor-account")
    page.get_by_role("link", name="Set it up").click()
    looked_at(visitor, "two-factor-set-up")
    secret = page.locator(".mono").inner_text().replace(" ", "")
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_label("Code that the app shows").fill("000000")
    page.get_by_role("button", name="Turn it on").click()
    page.get_by_role("alert").wait_for()
    looked_at(visitor, "two-factor-refused")
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_label("Code that the app shows").fill(code_of(secret))
    page.get_by_role("button", name="Turn it on").click()
    recovery_code = page.locator("pre").inner_text().splitlines()[0]
    looked_at(visitor, "two-factor-recovery-codes")
    page.get_by_role("link", name="I have saved them").click()
    visitor.open("/account/two-factor")
    looked_at(visitor, "two-factor-on")
    page.context.clear_cookies()
    visitor.open("/account")
    page.get_by_label("E-mail address").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_label("Code from your app").fill("000000")
    page.keyboard.press("Enter")
    page.get_by_role("alert").wait_for()
    looked_at(visitor, "two-factor-code")
    page.get_by_label("Code from your app").fill(recovery_code)
    page.keyboard.press("Enter")
    page.wait_for_url("**/console/account")
    problems = [each for each in visitor.problems if "422" not in each]
    assert problems == []
