"""The text that the database writes of a subscriber is the resource that `schemas.subscribers` writes."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.subscribers import FoundSubscribers, SubscriberSchema, pages, subscriber
from storage import database
from storage.searches import searches
from storage.searches.searches import Filters
from storage.subscribers import texts as subscriber_texts
from storage.subscribers.subscribers import Subscriber
from tests.depth import examples
from tests.stored_people import store_rows

URL = 'https://audience.example/"a\\'
INSTANTS = st.integers(-62_135_596_800_000, 253_402_300_799_999)  # of the years 1 to 9999
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | TEXTS
    | st.floats(allow_nan=False, allow_infinity=False) | st.just('first_name"'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
PEOPLE = st.builds(
    Subscriber,
    id=st.just(0),
    uuid=st.uuids().map(str),
    email=TEXTS,
    email_key=st.uuids().map(lambda uuid: f"{uuid}@example.com"),
    first_name=TEXTS,
    last_name=TEXTS,
    fields=st.dictionaries(TEXTS | st.sampled_from(["first_name", "last_name"]), VALUES, max_size=4),
    tag_ids=st.lists(st.integers(1, 2**53), unique=True, max_size=4),
    created_at=INSTANTS,
    updated_at=INSTANTS,
    last_event_at=st.none() | INSTANTS,
    unsubscribed_at=st.none() | INSTANTS,
)


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(people=st.lists(PEOPLE, min_size=1, max_size=4, unique_by=lambda person: person.uuid))
def test_every_subscriber_is_written_as_the_resource(client, people):
    site = client.site
    column = subscriber_texts.text(pages(URL, site.uuid))
    with database.write():
        database.execute("DELETE FROM subscribers WHERE site_id = ?", (site.id,))
        store_rows(site.id, people)
        stored = searches.search(site.id, Filters(), 10, 0)
        page, last = searches.texts(site.id, Filters(), len(people), 0, column)
        first, first_position = searches.texts(site.id, Filters(), 1, 0, column)
        alone = [subscriber_texts.by_uuid(site.id, person.uuid, column) for person in stored]
        by_key = [subscriber_texts.by_key(site.id, person.email_key, column) for person in stored]
    assert len(stored) == len(people)
    assert json.loads(f"[{page.decode()}]") == [subscriber(person, URL, site.uuid) for person in stored]
    assert page.decode() == ",".join(map(str, alone)) == ",".join(map(str, by_key))
    assert (first.decode(), last) == (alone[0], None)
    position = (stored[0].created_at, stored[0].created_at, stored[0].id) if len(people) > 1 else None
    assert first_position == position


def test_tag_ids_with_blanks_between_them_are_written_too(client):
    uuid = client.create("ann@example.com", tags="a,b")["attributes"]["uuid"]
    column = subscriber_texts.text(URL)
    with database.write():
        written = subscriber_texts.by_uuid(client.site.id, uuid, column)
        database.execute(
            "UPDATE subscribers SET tag_ids = replace(tag_ids, ',', ', ') WHERE uuid = ?", (uuid,)
        )
        assert subscriber_texts.by_uuid(client.site.id, uuid, column) == written


@pytest.mark.parametrize("number", [0, 3])
def test_a_page_has_the_form_that_is_declared(client, number):
    for each in range(number):
        client.create(f"p{each}@example.com", first_name="Ann", tags="a,b", plan="pro")
    page = client.post("/fetch/search", {}).json
    assert not FoundSubscribers().validate(page)
    assert [person["attributes"]["email"] for person in page["data"]] == [
        f"p{each}@example.com" for each in reversed(range(number))
    ]
    assert all(not SubscriberSchema().validate(person) for person in page["data"])
