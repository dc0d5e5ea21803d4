"""Each screen links to its page of the documentation, which is there."""

import re

import html5lib

from audience.console.help_pages import ABOUT
from tests.console.browser import open_browser
from tests.console.screens import INSTANCE_PATHS, fill, site_paths

HELP = re.compile(r'href="([^"]+)">Help</a>')
SCREENLESS = {"nowhere", "static_files"}


def test_every_screen_has_a_page(app):
    nouns = {endpoint.split(".")[1] for endpoint in app.view_functions if endpoint.startswith("console.")}
    assert nouns - SCREENLESS == ABOUT.keys()


def test_every_page_and_its_anchor_are_there(app):
    for name in ABOUT.values():
        page, _, anchor = name.partition("#")
        answer = app.test_client().get(f"/docs/{page}")
        assert answer.status_code == 200, name
        ids = {node.get("id") for node in html5lib.parse(answer.text, namespaceHTMLElements=False).iter()}
        assert not anchor or anchor in ids, name


def test_every_screen_links_to_its_page(administrator, app, owner, site):
    fill(site)
    for browser, paths in ((owner, site_paths(site)), (administrator, INSTANCE_PATHS)):
        for path in paths:
            rule, _ = app.url_map.bind("").match(f"/console{path.partition('?')[0]}")
            assert HELP.findall(browser.get(path).text) == [f"/docs/{ABOUT[rule.split('.')[1]]}"], path


def test_who_is_signed_out_has_help(app):
    page = open_browser(app).get("/sign-in").text
    assert HELP.findall(page) == ["/docs/console#sign-in-for-the-first-time"]
