"""The list of subscribers: found by text, filtered, in an order, a page at a time, with its number."""

import re

import pytest

from audience.changes.changes import change_from_item
from audience.clock import DAY_MS
from audience.console.subscribers import TOO_LONG
from audience.searches import lists as subscriber_lists
from audience.searches import searches
from audience.segments import segments
from audience.subscribers import events, subscribers
from storage import database
from storage.engines.chosen import engine
from tests.console.browser import alert

AT = 1_790_000_000_000


@pytest.fixture
def path(site):
    return f"/sites/{site.uuid}/subscribers"


def add(site, *items):
    with database.write():
        changes = [change_from_item({"created_at": AT, **item}, AT) for item in items]
        subscribers.write(site.id, changes, subscribers.accept_now(site.id))


def shown(response):
    return re.findall(r"<bdi>([^<@]+@[^<]+)</bdi></a>", response.text.replace("<wbr>", ""))


def searched(browser, path, text):
    """The list that a search leads to."""
    response = browser.post(path, text=text)
    assert response.status_code == 303
    return browser.get(response.location.removeprefix("/console"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ann.l", ["ann.lee@a.example"]),
        ("ANN", ["ann.lee@a.example", "x@annual.example"]),
        ("annual.e", ["x@annual.example"]),
        ("@annual", ["x@annual.example"]),
        ("łuk", ["w@b.example"]),
        ("łukasz wój", ["w@b.example"]),
        ("Wój", ["w@b.example"]),
        ("büch", ["x@bücher.example"]),
        ("x@bücher.example.", ["x@bücher.example"]),
        ("ee", []),
        ("%", []),
        ("nobody", []),
    ],
)
def test_text_begins_an_address_a_domain_or_a_name(owner, site, path, text, found):
    add(site, {"email": "ann.lee@a.example"}, {"email": "x@annual.example"})
    add(site, {"email": "w@b.example", "first_name": "Łukasz", "last_name": "Wójcik"})
    add(site, {"email": "x@bücher.example"})
    assert sorted(shown(searched(owner, path, text))) == sorted(found)


def test_names_are_found_however_far_apart_the_ids_of_their_subscribers_are(owner, site, path):
    for number, last_id in enumerate((1, 8_190, 9_000, 300_000)):
        with database.write():
            engine.put_last_id(database.database, "subscribers", last_id)
        add(site, {"email": f"{number}@a.example", "first_name": "Ann", "last_name": f"Wójcik{number}"})
        add(site, {"email": f"w{number}@a.example", "last_name": "Annesley"})
    everybody = sorted(f"{mark}{number}@a.example" for mark in ("", "w") for number in range(4))
    assert sorted(shown(searched(owner, path, "ann"))) == everybody
    assert sorted(shown(searched(owner, path, "wój"))) == everybody[:4]
    assert shown(searched(owner, path, "ann wójcik3")) == ["3@a.example"]


def test_a_long_text_is_searched_for_whole_or_refused(owner, site, path):
    add(
        site,
        {"email": "ann@a.example", "first_name": "a" * 300},
        {"email": "bob@a.example", "first_name": "a" * 299 + "b"},
    )
    found = searched(owner, path, "a" * 300)
    assert shown(found) == ["ann@a.example"]
    refused = owner.post(f"{path}?{found.request.query_string.decode()}", text="b" * 1_001)
    assert (refused.status_code, alert(refused)) == (422, TOO_LONG)
    assert shown(refused) == ["ann@a.example"]


def test_a_long_value_is_filtered_by_whole(owner, site, path):
    texts = {name: "v" * 299 + name for name in "ab"}
    add(site, *({"email": f"{name}@a.example", "fields": {"plan": text}} for name, text in texts.items()))
    assert shown(owner.get(f"{path}?field=plan&value={texts['b']}")) == ["b@a.example"]


def test_filters_are_chips_that_can_be_taken_off(owner, site, path):
    add(site, {"email": "a@a.example", "tags": ["vip", "new"], "fields": {"plan": "pro", "seats": 3}})
    add(site, {"email": "b@a.example", "tags": ["vip"], "command": "unsubscribe"})
    assert shown(owner.get(f"{path}?tag=vip&tag=new")) == ["a@a.example"]
    assert shown(owner.get(f"{path}?tag=vip&status=unsubscribed")) == ["b@a.example"]
    assert shown(owner.get(f"{path}?field=seats&value=3")) == ["a@a.example"]
    assert shown(owner.get(f"{path}?field=plan")) == ["a@a.example"]
    page = owner.get(f"{path}?tag=vip&tag=new").text
    assert f'href="/console{path}?tag=vip" aria-label="Remove the filter: Tag is new"' in page


def test_dates_include_the_last_day(owner, site, path):
    add(site, {"email": "a@a.example", "created_at": 1_767_225_600_000 + DAY_MS - 1})  # end of 2026-01-01
    assert shown(owner.get(f"{path}?created_at_from=2026-01-01&created_at_to=2026-01-01")) == ["a@a.example"]
    assert shown(owner.get(f"{path}?created_at_to=2025-12-31")) == []


@pytest.mark.parametrize(
    "query", ["created_at_from=soon", "segment=99", "created_at=99999999", "field=" + "x" * 300]
)
def test_a_filter_that_cannot_be_read_is_left_out_and_said(owner, site, path, query):
    add(site, {"email": "a@a.example"})
    response = owner.get(f"{path}?{query}")
    assert response.status_code == 200
    assert "The filters were not applied." in response.text
    assert shown(response) == ["a@a.example"]


def test_a_segment_filters(owner, site, path):
    add(site, {"email": "a@a.example", "tags": ["vip"]}, {"email": "b@a.example"})
    segment = segments.create(site, {"name": "Best", "rules": {"tag": "vip"}})
    assert shown(owner.get(f"{path}?segment={segment.id}")) == ["a@a.example"]


def test_it_is_sorted_either_way_by_dates_that_have_an_index(owner, site, path):
    for number in range(3):
        add(site, {"email": f"p{number}@a.example", "created_at": AT - number * DAY_MS})
    add(site, {"email": "p1@a.example", "unsubscribed_at": AT - 9})
    add(site, {"email": "p2@a.example", "unsubscribed_at": AT - 99})
    emails = [f"p{number}@a.example" for number in range(3)]
    assert shown(owner.get(path)) == emails
    assert shown(owner.get(f"{path}?ascending=1")) == emails[::-1]
    assert shown(owner.get(f"{path}?order=unsubscribed_at")) == emails[1:]
    assert shown(owner.get(f"{path}?order=unsubscribed_at&ascending=1")) == emails[:0:-1]
    assert shown(owner.get(f"{path}?order=email")) == emails
    assert 'aria-sort="ascending"' in owner.get(f"{path}?ascending=1").text


def test_it_is_paged_by_a_hundred(owner, site, path):
    add(site, *({"email": f"p{number}@a.example"} for number in range(201)))
    assert [len(shown(owner.get(f"{path}?page={page}"))) for page in (1, 2, 3, 4)] == [100, 100, 1, 0]
    assert "101 to 200 of 201" in owner.get(f"{path}?page=2").text
    assert 'rel="next"' not in owner.get(f"{path}?page=3").text
    for odd in ("0", "-1", "x", "9" * 30):
        assert owner.get(f"{path}?page={odd}").status_code == 200


def test_the_number_is_exact_up_to_a_limit(owner, site, path, monkeypatch):
    monkeypatch.setattr(subscriber_lists, "MOST_COUNTED", 3)
    add(site, *({"email": f"p{number}@a.example", "tags": ["vip"]} for number in range(5)))
    assert "More than 3" in owner.get(f"{path}?tag=vip").text
    assert "<b>5</b> of 5 match" in owner.get(f"{path}?tag=vip&count=all").text


def test_a_subscriber_shows_events_segments_and_history(owner, site, path):
    add(site, {"email": "ann@a.example", "tags": ["vip"], "first_name": "Ann"})
    change = change_from_item({"email": "ann@a.example"}, AT)
    with database.write():
        ids = subscribers.write(site.id, [change], subscribers.accept_now(site.id)).ids
        for number in range(40):
            events.add(site.id, ids, [(change, "$open", {"details": {"letter": f"No. {number}"}})], AT)
    segments.create(site, {"name": "Best", "rules": {"tag": "vip"}})
    [ann] = searches.search(site, searches.SearchRequest(after={}, before={}), 1)[0]
    page = owner.get(f"{path}/{ann.uuid}").text
    assert change.email in page
    assert "Best" in page
    assert "40 events" in page
    assert "Show everything" in page
    assert owner.get(f"{path}/{ann.uuid}?everything=1").text.count("letter No.") == 40
