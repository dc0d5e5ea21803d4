"""In a real browser: the page of a form, and its preview."""

import pytest

from audience.access import operators, sites
from audience.access.audit_log import COMMAND_LINE
from audience.forms import forms
from audience.looks import looks, senders
from storage import database
from storage.forms import forms as stored_forms
from tests.audience.looks.test_looks import sent
from tests.audience.looks.test_senders import SENT
from tests.console.chromium import looked_at, visit
from tests.console.screens import PLAIN, fill

EMAIL = "mara@example.com"


@pytest.fixture
def port(port, site):
    fill(site, PLAIN)
    operators.add(EMAIL, True, {site: "owner"}, COMMAND_LINE)
    return port


@pytest.mark.parametrize("width", [360, 1280])
def test_a_form_is_previewed_as_typed_saved_and_its_html_copied(chromium, port, site, width):
    looks.change(site, sent(name="Harbour Letters", language="en"), b"", False, COMMAND_LINE)
    senders.change(site, SENT, True, COMMAND_LINE)
    new = sites.create("New")
    operators.set_role(EMAIL, new, "owner", COMMAND_LINE)
    visitor = visit(chromium, port, EMAIL, width, "light")
    visitor.open(f"/sites/{new.uuid}/forms")
    looked_at(visitor, "forms-empty")
    visitor.open(f"/sites/{site.uuid}/forms")
    looked_at(visitor, "forms")
    page, frame = visitor.page, visitor.page.frame_locator("iframe[name=preview]")
    page.get_by_role("link", name="Make a form").click()
    page.get_by_label("Name of the form").fill("Shop checkout")
    page.get_by_label("First name").select_option("asked")
    page.get_by_label("Introduction").first.fill("News from the quay.")
    for name, seen in (("Form", "News from the quay."), ("Confirm", "Confirm your sign-up")):
        page.get_by_role("button", name=name, exact=True).click()
        frame.get_by_text(seen).first.wait_for()
    assert [each.name for each in forms.list_all(site)] == ["Front page"]
    page.get_by_role("button", name="Make the form").click()
    page.get_by_text("Versions of the wording").wait_for()
    looked_at(visitor, "form")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the HTML").click()
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("<form action=")
    page.get_by_role("button", name="Save and open").click()
    page.get_by_role("alert").get_by_text("No mail server is set").wait_for()
    looked_at(visitor, "form-not-open")
    assert [each for each in visitor.problems if "422" not in each] == []


@pytest.mark.parametrize("is_kept", [True, False])
def test_what_was_typed_into_a_form_is_lost_to_another_button_only_after_a_question(
    chromium, port, site, is_kept
):
    looks.change(site, sent(), b"", False, COMMAND_LINE)
    [form] = forms.list_all(site)
    with database.write(site.id):
        [stored] = stored_forms.list_all(site.id)
        stored_forms.change(site.id, stored._replace(state=forms.OPEN))
    visitor = visit(chromium, port, EMAIL, 1280, "light")
    visitor.open(f"/sites/{site.uuid}/forms/{form.id}")
    page, asked = visitor.page, []
    page.get_by_label("What people agree to").first.fill("Yes, weekly.")

    def answer(dialog):
        asked.append(dialog.type)
        dialog.dismiss() if is_kept else dialog.accept()

    page.on("dialog", answer)
    page.get_by_role("button", name="Pause").click()
    if is_kept:
        page.wait_for_timeout(200)
        assert page.get_by_label("What people agree to").first.input_value() == "Yes, weekly."
        page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("status").wait_for()
    saved = forms.get(site, form.id)
    assert asked == ["beforeunload"]
    assert (saved.state == forms.OPEN, saved.wording.get("en") == "Yes, weekly.") == (is_kept, is_kept)
