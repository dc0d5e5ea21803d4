"""The text of a search belongs to the one list whose URL names it; all other ways in begin afresh."""

import html
import re

import pytest

from audience.access import audit_log, sessions
from audience.console.list_filters import GONE
from audience.erasures import erasures
from audience.searches import lists as subscriber_lists
from audience.searches.lists import ListRequest
from audience.segments import segments
from storage import database
from tests.console.browser import alert, open_browser, signed_in
from tests.console.test_bulk_actions import act
from tests.console.test_subscriber_list import add, path, shown

__all__ = ["path"]

PEOPLE = ("ann@a.example", "anna@a.example", "bob@a.example", "cy@annual.example")


@pytest.fixture(autouse=True)
def people(site):
    add(site, *({"email": email, "tags": ["vip"] if email.startswith("ann") else []} for email in PEOPLE))
    add(site, {"email": "bob@a.example", "command": "unsubscribe"})


def search(browser, path, text, query=""):
    """The path of the list that a search leads to."""
    sent = browser.post(f"{path}{query}", text=text)
    assert sent.status_code == 303
    return sent.headers["Location"].removeprefix("/console")


def link(page, name):
    """Where a link leads, by the end of its text."""
    [found] = re.findall(rf'<a [^>]*href="([^"]+)"[^>]*>[^<]*{name}</a>', page.text)[:1]
    return found.replace("&amp;", "&").removeprefix("/console")


def test_a_search_has_a_url_of_its_own_without_the_text(owner, path):
    kept = search(owner, path, "ann@")
    assert re.fullmatch(rf"{path}\?kept=[\w-]{{8,}}", kept)
    assert shown(owner.get(kept)) == ["ann@a.example"]
    assert len(shown(owner.get(path))) == 4
    other = search(owner, path, "bob")
    assert [shown(owner.get(each)) for each in (kept, other)] == [["ann@a.example"], ["bob@a.example"]]
    assert search(owner, path, " ann@\u202e ") == kept
    assert search(owner, path, "\u202e") == path


def test_every_other_way_in_starts_fresh(owner, site, path):
    search(owner, path, "bob")
    segment = segments.create(site, {"name": "Best", "rules": {"tag": "vip"}})
    for page in ("", f"/segments/{segment.id}", "/imports", "/reports", "/settings"):
        text = owner.get(f"{path.removesuffix('/subscribers')}{page}").text
        assert "kept=" not in text
    assert len(shown(owner.get(f"{path}?segment={segment.id}"))) == 2
    assert len(shown(owner.get(f"{path}?status=subscribed"))) == 3


def test_what_the_list_leads_to_keeps_its_text(owner, path):
    page = owner.get(search(owner, path, "ann", "?status=subscribed"))
    name = re.findall(r"kept=([\w-]+)", page.request.query_string.decode())[0]
    leads = re.findall(r'(?:href|action)="/console([^"]*/subscribers(?:/chosen)?\?[^"]*)"', page.text)
    assert len([each for each in leads if f"kept={name}" in each]) >= 6
    assert f'<input type="hidden" name="kept" value="{name}">' in page.text
    without = re.findall(r'href="/console([^"]*)" aria-label="Remove the search text"', page.text)
    assert without == [f"{path}?status=subscribed"]


def test_clear_filters_clears(owner, path):
    kept = search(owner, path, "nobody", "?status=subscribed")
    assert link(owner.get(kept), "Clear filters") == path
    assert len(shown(owner.get(path))) == 4
    assert "Clear filters" not in owner.get(path).text
    assert "Clear filters" in owner.get(f"{path}?tag=vip").text


def test_of_a_search_that_is_no_longer_kept_nobody_acts_on_everybody(app, manager, site, path):
    kept = search(manager, path, "bob")
    query = kept.removeprefix(path)
    with database.write(database.SHARED):
        sessions.forget_searches(site.id)
    page = manager.get(kept)
    assert GONE in page.text
    assert (len(shown(page)), "kept=" in page.text) == (4, False)
    for each in (f"{path}/chosen{query}", f"{path.removesuffix('/subscribers')}/acts{query}"):
        refused = manager.post(each, act="unsubscribe", all="1")
        assert (refused.status_code, GONE in refused.text) == (422, True)
    assert GONE in manager.get(f"{path.removesuffix('/subscribers')}/segments/new{query}").text


def test_a_search_is_kept_for_one_session_and_site(app, owner, site, other_site, path):
    kept = search(owner, path, "bob")
    stranger = signed_in(app, "max@example.com", {site: "viewer", other_site: "viewer"})
    assert GONE in stranger.get(kept).text
    elsewhere = kept.replace(site.uuid, other_site.uuid)
    theirs = search(stranger, path, "bob")
    assert GONE in stranger.get(elsewhere).text
    assert GONE in stranger.get(theirs.replace(site.uuid, other_site.uuid)).text
    assert open_browser(app).get(kept).status_code == 303


def test_an_erasure_forgets_the_searches_of_its_own_site(app, site, other_site, settings):
    operator = signed_in(app, "max@example.com", {site: "viewer", other_site: "viewer"})
    paths = [f"/sites/{each.uuid}/subscribers" for each in (site, other_site)]
    kept = [search(operator, path, "bob@a.example") for path in paths]
    add(other_site, {"email": "bob@a.example"})
    assert erasures.erase(other_site, settings.instance, email="bob@a.example")
    assert [GONE in operator.get(each).text for each in kept] == [False, True]


def test_the_oldest_of_many_searches_is_forgotten(owner, path):
    kept = [search(owner, path, f"text {number}") for number in range(sessions.MOST_KEPT)]
    search(owner, path, "text 0")
    search(owner, path, "one more")
    assert [GONE in owner.get(each).text for each in kept[:3]] == [False, True, False]


def test_an_act_shows_the_filters_in_words_and_the_count(manager, path):
    kept = search(manager, path, "ann@", "?status=subscribed&tag=vip")
    asked = manager.post(f"{path}/chosen{kept.removeprefix(path)}", act="tag", all="1")
    before_button = asked.text.partition('<button class="go"')[0].partition("<main")[2]
    for words in ("1 subscriber", "Subscribed", "Tag is vip", "Begins with", "ann@"):
        assert words in before_button
    everybody = manager.post(f"{path}/chosen", act="erase", all="1").text
    assert "4 subscribers" in everybody
    assert "Everybody on the list: no filter is set." in everybody
    ticked = manager.post(f"{path}/chosen", act="export", uuid=[]).text
    assert "Nobody is selected" in ticked


def test_all_that_match_are_those_of_the_list_and_the_log_says_how_they_were_found(manager, site, path):
    kept = search(manager, path, "bob")
    act(manager, path.removesuffix("/subscribers"), "tag", kept.removeprefix(path), all="1", tag="fair")
    entry = audit_log.page(site)[0]
    assert (entry.subjects, "found by what was typed" in entry.act) == (1, True)


@pytest.mark.parametrize(
    "text",
    ["ann", "ANN@", "ann@a.example", "@annual", "annual.e", "łukasz wój", "Wój", "anna maria sc",
     "maria  Groß", "gross", "@", "x%", "ee"],
)  # fmt: skip
def test_a_segment_takes_the_text_along(manager, site, path, text):
    add(site, {"email": "w@b.example", "first_name": "Łukasz", "last_name": "Wójcik"})
    add(site, {"email": "s@b.example", "first_name": "Anna Maria", "last_name": "Schmidt"})
    add(site, {"email": "g@b.example", "first_name": "Maria", "last_name": "Groß"})
    add(site, {"email": "h@b.example", "first_name": "ann@", "last_name": "de la Cruz"})
    kept = search(manager, path, text)
    page = manager.get(kept)
    form = manager.get(link(page, "Save as a segment"))
    [rules] = re.findall(r'<textarea[^>]*name="rules"[^>]*>(.*?)</textarea>', form.text, re.DOTALL)
    sent = manager.post(
        f"{path.removesuffix('/subscribers')}/segments/new", name="Found", rules=html.unescape(rules)
    )
    assert sent.status_code == 303, alert(sent)
    [segment] = segments.list_all(site)
    of_segment = subscriber_lists.ids(site, ListRequest(segment_id=str(segment.id)))
    assert of_segment == subscriber_lists.ids(site, ListRequest(text=text))


def test_a_segment_takes_along_the_segment_and_the_order_of_the_list(manager, site, path):
    """What is a chip is a condition."""
    vip = segments.create(site, {"name": "Best", "rules": {"tag": "vip"}})
    page = manager.get(f"{path}?segment={vip.id}&order=unsubscribed_at&status=subscribed")
    assert "Clear filters" in page.text
    form = manager.get(link(page, "Save as a segment"))
    words = re.sub(r"<[^>]+>", "", form.text)
    assert '"tag": "vip"' in html.unescape(words)
    assert '"unsubscribed_at": {' in html.unescape(words)


def test_a_filter_more_keeps_all_that_the_list_asks_for(owner, site, path):
    query = (
        "?status=subscribed&field=first_name&value=Ann&order=last_event_at&ascending=1&tag=vip&updated_at=5"
        "&unsubscribed_at_from=2026-01-01&updated_at_to=2026-02-01&last_event_at_from=2026-03-01"
    )
    for text, more in (("ann", ""), ("", "&created_at_from=2026-01-02&unsubscribed_at=12"), ("bob", "")):
        if text == "bob":
            add(site, {"email": "bob@a.example", "fields": {"plan": "pro"}})
        asked = f"{query}{more}"
        listed = search(owner, path, text, asked) if text else f"{path}{asked}"
        form = owner.get(listed).text.partition('<form class="card cols"')[2].partition("</form>")[0]
        fields = set(re.findall(r'<input [^>]*?name="(\w+)"[^>]*? value="([^"]+)"', form))
        for name, options in re.findall(r'<select id="[\w-]+" name="(\w+)">(.*?)</select>', form):
            fields |= {(name, value) for value in re.findall(r'<option selected value="([^"]+)"', options)}
            fields |= {(name, value) for value in re.findall(r'<option value="([^"]+)" selected', options)}
            fields |= {(name, key) for key in re.findall(r"<option selected>([^<]+)<", options)}
        assert fields == {tuple(each.split("=")) for each in listed.partition("?")[2].split("&")}
