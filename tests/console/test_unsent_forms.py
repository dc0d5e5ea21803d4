"""What was sent after the end of a session: shown again after the sign-in, to be sent, never carried out."""

import html
import re
from io import BytesIO
from pathlib import Path
from urllib.parse import urlencode

import pytest
from werkzeug.test import EnvironBuilder

from audience.access import operators, sessions, sign_in, sites
from audience.access.audit_log import COMMAND_LINE
from audience.bulk import actions as bulk_actions
from audience.console import kept_forms
from audience.console.kept_forms import MAX_KEPT_BYTES, SECRETS
from audience.console.list_filters import GONE
from audience.http.admission import Admission
from audience.protocols import REFUSAL
from audience.segments import segments
from tests.console.browser import ORIGIN, alert, open_browser
from tests.console.conftest import PASSWORD
from tests.console.test_subscriber_list import add
from tests.console.test_subscriber_list import shown as listed

TEMPLATES = Path(kept_forms.__file__).parent / "templates"
FIELDS = {"name": "VIP & <b>“friends”</b>", "description": "", "rules": '{"tag": "vip"}', "form": "a-token"}
MARKED = "this was typed"


def signed_in(app, site, email="meg@example.com", role="manager"):
    """The browser of a new operator who has a password."""
    token = operators.add(email, True, {site: role}, COMMAND_LINE)
    sessions.end_by_token(sign_in.set_password_with_link(token, PASSWORD, ""))
    browser = open_browser(app)
    assert signs_in(browser, email=email).status_code == 303
    return browser


def signs_in(browser, page=None, email="meg@example.com", password=PASSWORD):
    """Signs in, by the form of a page that has one."""
    return browser.post("/sign-in", **(hidden(page) if page else {}) | {"email": email, "password": password})


def hidden(page):
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.text)
    return {html.unescape(name): html.unescape(value) for name, value in found}


@pytest.fixture
def manager(app, site):
    return signed_in(app, site)


@pytest.fixture
def path(site):
    return f"/sites/{site.uuid}/segments/new"


def ended(browser, path, **fields):
    """Sends a form, as its page had it, after the session has ended."""
    form = browser.get(path).text.partition('method="post"')[2].partition("</form>")[0]
    drawn = dict(re.findall(r'<input type="hidden" name="(csrf|by)" value="([^"]*)">', form))
    assert set(drawn) == {"csrf", "by"}
    sessions.end_by_token(browser.token)
    return browser.send(path, drawn | fields, Origin=ORIGIN, Sec_Fetch_Site="same-origin")


def test_it_is_shown_again_and_sent_by_hand(manager, site, path):
    page = ended(manager, path, **FIELDS)
    assert (page.status_code, "Your session has ended" in page.text) == (403, True)
    wrong = signs_in(manager, page, password="not it")
    assert (wrong.status_code, alert(wrong)) == (422, sign_in.WRONG)
    shown = signs_in(manager, wrong)
    assert shown.status_code == 200
    assert "<b>Make a segment, or only show who matches</b>" in shown.text
    assert html.escape(FIELDS["name"]) in shown.text
    assert segments.list_all(site) == []
    again = hidden(shown)
    assert {name: again[name] for name in FIELDS} == FIELDS
    assert f'action="/console{path}"' in shown.text
    assert manager.send(path, again, Origin=ORIGIN).status_code == 303
    assert [each.name for each in segments.list_all(site)] == [FIELDS["name"]]


def test_another_operator_gets_an_empty_form(app, manager, site, path):
    signed_in(app, site, "max@example.com")
    page = ended(manager, path, **FIELDS)
    sent = signs_in(manager, page, "max@example.com")
    assert (sent.status_code, sent.headers["Location"]) == (303, f"/console{path}")
    assert FIELDS["name"] not in html.unescape(manager.get(path).text)


@pytest.mark.parametrize(
    ("sent_to", "shown"),
    [
        ("{site}/acts", "{site}/acts"),
        ("{site}/subscribers/chosen?tag=vip", "{site}/subscribers"),
        ("{site}/subscribers/" + "0" * 36 + "/erase", "{site}/subscribers/" + "0" * 36),
        ("{site}/webhooks/7/rotate", "{site}/webhooks/7"),
        ("{site}/lists/remove", "{site}/lists"),
        ("/operators/role", "/operators"),
        ("/x/y", ""),
    ],
)
def test_another_operator_gets_the_page_where_the_form_is(app, manager, site, path, sent_to, shown):
    signed_in(app, site, "max@example.com")
    by = hidden(manager.get(path))["by"]
    sessions.end_by_token(manager.token)
    root = f"/sites/{site.uuid}"
    page = manager.send(sent_to.format(site=root), {"by": by, "tag": MARKED}, Origin=ORIGIN)
    sent = signs_in(manager, page, "max@example.com")
    assert sent.headers["Location"] == f"/console{shown.format(site=root)}"


def test_who_signed_in_elsewhere_meanwhile_is_shown_it_too(app, manager, site, path):
    """In the same browser, in another tab."""
    old = hidden(manager.get(path))
    signs_in(manager)
    shown = manager.send(path, old | FIELDS, Origin=ORIGIN)
    assert (shown.status_code, segments.list_all(site)) == (403, [])
    assert manager.send(path, hidden(shown), Origin=ORIGIN).status_code == 303
    assert len(segments.list_all(site)) == 1
    signed_in(app, site, "max@example.com")
    signs_in(manager, email="max@example.com")
    refused = manager.send(path, old | FIELDS, Origin=ORIGIN)
    assert (refused.status_code, "too old" in refused.text) == (403, True)
    assert html.escape(FIELDS["name"]) not in refused.text


@pytest.mark.parametrize(
    "headers",
    [{}, {"Origin": "https://evil.example"}, {"Origin": ORIGIN, "Sec_Fetch_Site": "cross-site"},
     {"Sec_Fetch_Site": "same-origin"}],
)  # fmt: skip
def test_what_another_page_sends_does_not_come_back(manager, site, path, headers):
    by = hidden(manager.get(path))["by"]
    sessions.end_by_token(manager.token)
    page = manager.send(path, {"by": by, "name": MARKED}, **headers)
    assert (page.status_code, MARKED in page.text) == (303, False)


def test_what_is_too_large_or_a_file_does_not_come_back_and_that_is_said(manager, site, path):
    by = hidden(manager.get(path))["by"]
    sessions.end_by_token(manager.token)
    ended = f"/console/sign-in?done=ended&next=/console{path}"
    fits = MAX_KEPT_BYTES - len(urlencode({"by": by, "name": ""}))
    for length, status in ((fits, 403), (fits + 1, 303)):
        page = manager.send(path, {"by": by, "name": "x" * length}, Origin=ORIGIN)
        assert (page.status_code, "x" * length in page.text) == (status, status == 403)
    assert page.headers["Location"] == ended
    assert "Your session had ended, and what you sent" in manager.get(ended.removeprefix("/console")).text
    for file in (b"a@a.example", b""):
        fields = {"by": by, "name": MARKED, "file": (BytesIO(file), "a.csv")}
        page = manager.send(path, fields, Origin=ORIGIN)
        assert (page.headers["Location"], MARKED in page.text) == (ended, False)


def test_the_largest_of_all_can_be_signed_in_with(manager, site, path):
    """Its every character takes three bytes, and nine when it is encoded again."""
    by = hidden(manager.get(path))["by"]
    sessions.end_by_token(manager.token)
    length = (MAX_KEPT_BYTES - len(urlencode({"by": by, "name": ""}))) // 3
    page = manager.send(path, {"by": by, "name": "&" * length}, Origin=ORIGIN)
    body = urlencode(hidden(page) | {"email": "meg@example.com", "password": PASSWORD})
    application = manager.http.application
    asked = EnvironBuilder("/console/sign-in", base_url=ORIGIN, method="POST", headers=[("Origin", ORIGIN)])
    assert (Admission(application)(asked.get_environ()) or 0) >= len(body)
    assert hidden(signs_in(manager, page))["name"] == "&" * length


@pytest.mark.parametrize("path", ["/account/password", "/account/email"])
def test_no_secret_comes_back(manager, path):
    sent = {"current": MARKED, "password": MARKED, "present": MARKED, "email": "new@example.com"}
    page = _sent_to(manager, path, sent)
    assert page.headers["Location"] == "/console/sign-in?done=ended&next=/console/account"
    assert MARKED not in page.text


def _sent_to(browser, path, fields):
    drawn = hidden(browser.get("/account"))
    sessions.end_by_token(browser.token)
    return browser.send(path, drawn | fields, Origin=ORIGIN)


def test_every_field_of_a_secret_is_known():
    pages = [each.read_text() for each in TEMPLATES.glob("*.html")]
    fields = [tag for each in pages for tag in re.findall(r"<input[^>]*>", each)]
    names = {re.findall(r'name="(\w+)"', tag)[0] for tag in fields if 'type="password"' in tag}
    assert names <= SECRETS
    assert {"csrf", "token"} <= SECRETS


def goes_on(browser, page):
    """Sends the form of the page, as a script does by itself."""
    assert "Not sent yet" not in page.text
    [action] = re.findall(r'action="/console([^"]*)" data-goes-on', page.text)
    return browser.send(html.unescape(action), hidden(page), Origin=ORIGIN)


def test_a_search_just_runs(manager, site):
    add(site, *({"email": email} for email in ("ann@a.example", "bob@a.example")))
    root = f"/sites/{site.uuid}/subscribers"
    leads = goes_on(manager, signs_in(manager, ended(manager, root, text="ann"))).headers["Location"]
    page = manager.get(leads.removeprefix("/console"))
    assert (listed(page), "Begins with" in page.text) == (["ann@a.example"], True)


@pytest.mark.parametrize("step", ["subscribers/chosen", "acts"])
def test_an_act_on_many_is_confirmed_anew(manager, site, step):
    add(site, {"email": "ann@a.example", "tags": ["vip"]}, {"email": "bob@a.example"})
    root, fields = f"/sites/{site.uuid}", {"act": "tag", "all": "1", "tag": "fair", "form": "its.own"}
    by = hidden(manager.get(f"{root}/segments/new"))
    sessions.end_by_token(manager.token)
    page = manager.send(f"{root}/{step}?tag=vip", by | fields, Origin=ORIGIN)
    asked = goes_on(manager, signs_in(manager, page))
    assert asked.status_code == 200
    for words in ("Tag 1 subscriber?", "Tag is vip", 'value="fair"'):
        assert words in asked.text
    assert bulk_actions.newest(site) == []
    manager.send(f"{root}/acts?tag=vip", hidden(asked) | {"tag": "fair"}, Origin=ORIGIN)
    assert [act.people for act in bulk_actions.newest(site)] == [1]


def test_an_act_on_those_of_a_search_that_is_gone_leads_to_the_list(manager, site):
    root, fields = f"/sites/{site.uuid}", {"act": "tag", "all": "1"}
    by = hidden(manager.get(f"{root}/segments/new"))
    sessions.end_by_token(manager.token)
    page = manager.send(f"{root}/acts?kept=gone", by | fields, Origin=ORIGIN)
    said = goes_on(manager, signs_in(manager, page))
    assert (said.status_code, GONE in said.text) == (422, True)
    assert f'href="/console{root}/subscribers"' in said.text


def test_every_form_that_is_shown_again_says_what_it_is(app):
    views = [app.view_functions[rule.endpoint] for rule in app.url_map.iter_rules()
             if "POST" in (rule.methods or ()) and rule.rule.startswith("/console")]  # fmt: skip
    assert len(views) > 50
    assert [view.__qualname__ for view in views if not view.__doc__] == []


def test_nothing_that_a_link_brings_is_shown(manager, site, path):
    by = hidden(manager.get(path))["by"]
    kept = urlencode({"by": by, "name": MARKED})
    assert MARKED not in manager.get(f"/sign-in?{urlencode({'kept': kept, 'next': path})}").text
    for target in ("https://evil.example/", "/console/../docs", "/console/x/y", "/console/sign-in", ""):
        sent = manager.post("/sign-in", email="meg@example.com", password=PASSWORD, kept=kept, next=target)
        assert (sent.status_code, MARKED in sent.text) == (303, False), target


def test_a_form_without_fields_of_its_own_leads_to_the_sign_in(manager, path):
    drawn = hidden(manager.get(path))
    sessions.end_by_token(manager.token)
    page = manager.send("/sign-out", drawn, Origin=ORIGIN)
    assert (page.status_code, page.headers["Location"]) == (303, "/console/sign-in")


@pytest.mark.parametrize(
    ("path", "headers", "most"),
    [
        ("/segments/new", {"Origin": ORIGIN}, MAX_KEPT_BYTES),
        ("/segments/new", {"Origin": "https://evil.example"}, None),
        ("/segments/new", {"Origin": ORIGIN, "Content-Length": str(MAX_KEPT_BYTES + 1)}, None),
        ("/imports/new", {"Origin": ORIGIN}, None),
    ],
)
def test_the_web_server_takes_a_body_that_is_kept(app, path, headers, most):
    site = sites.create("Example")
    builder = EnvironBuilder(f"/console/sites/{site.uuid}{path}", base_url=ORIGIN, method="POST")
    environ = builder.get_environ() | {
        {"Origin": "HTTP_ORIGIN", "Content-Length": "CONTENT_LENGTH"}[name]: value
        for name, value in headers.items()
    }
    assert Admission(app)(environ) == most
    assert (REFUSAL in environ) == (most is None)
