"""What a form says is not lost when it is refused: the page that says why has it in its fields."""

import html
import re

import pytest

from audience.access import operators
from audience.access.audit_log import COMMAND_LINE
from tests.console.browser import signed_in
from tests.console.screens import fill

LONG = "n" * 201
REFUSED = [
    ("{root}/settings", {"name": "Herons & Reeds", "time_zone": "Mars/Olympus"}),
    ("{root}/settings", {"name": LONG, "time_zone": "Europe/Paris"}),
    ("{root}/keys", {"name": LONG, "scope": "read"}),
    ("{root}/lists", {"list": "deny", "entry": "no address & no domain"}),
    ("{root}/operators", {"email": "nobody@example.com", "role": "manager"}),
    ("/operators", {"email": "no address", "administrator": "1"}),
    ("/operators/role", {"email": "nobody@example.com", "role": "manager"}),
    ("/sites", {"name": "Reeds", "time_zone": "Mars/Olympus"}),
    ("/account/email", {"email": "no address"}),
    ("/sign-in", {"email": "nobody@example.com", "remember": "1"}),
    ("{person}", {"act": "set field", "key": "age", "type": "number", "value": "twelve"}),
    ("{person}", {"act": "change address", "email": "no address"}),
    ("{person}", {"act": "tag", "tag": "n" * 256}),
]


@pytest.fixture
def browser(app, site):
    fill(site)
    operators.add("other@example.com", True, {site: "owner"}, COMMAND_LINE)
    return signed_in(app, "me@example.com", {site: "owner"}, administrator=True)


@pytest.mark.parametrize(("path", "fields"), REFUSED)
def test_what_is_refused_stays_in_its_form(browser, site, path, fields):
    root = f"/sites/{site.uuid}"
    person = re.findall(
        r"/console(/sites/[^/]+/subscribers/[-0-9a-f]{36})", browser.get(f"{root}/subscribers").text
    )[0]
    sent = fields | ({"site": site.uuid} if path.endswith("/role") else {})
    refused = browser.post(path.format(root=root, person=person), **sent)
    assert refused.status_code in (404, 422)
    for name, value in sent.items():
        assert value in kept(refused.text, name), name


def kept(page, name):
    """What the fields of a name have in them."""
    inputs = re.findall(rf'<input[^>]* name="{name}"[^>]*>', page)
    boxes = [each for each in inputs if "checkbox" in each]
    texts = [found for each in inputs if each not in boxes for found in re.findall(r' value="([^"]*)"', each)]
    chosen = re.findall(r"<option(?: value=\"([^\"]*)\")? selected>([^<]*)", page)
    ticked = ["1" for each in boxes if "checked" in each]
    return [html.unescape(each) for each in [*texts, *ticked, *(value or text for value, text in chosen)]]
