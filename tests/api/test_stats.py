"""Count subscribers (docs/contract.md, Stats)."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audience.operations import site_lane
from audience.subscribers import stats
from tests import response_assertions
from tests.depth import examples

EMAILS = [f"p{number}@example.com" for number in range(4)]
COMMANDS = ["add_tag", "subscribe", "unsubscribe", "change_email", "remove_tag"]


def counts(client):
    answer = response_assertions.answer(client.get("/stats/site"))
    response_assertions.keys(answer, "user_count", "subscriber_count", "unsubscriber_count")
    assert all(type(value) is int for value in answer.values())
    assert answer["user_count"] == answer["subscriber_count"] + answer["unsubscriber_count"]
    return tuple(answer.values())


def test_an_empty_site(client):
    assert counts(client) == (0, 0, 0)


@pytest.mark.parametrize("body", [{}, {"site_uuid": None}])
def test_counts_are_at_the_top_level_and_by_site(client, other_client, body):
    for email in EMAILS:
        client.create(email)
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": EMAILS[0]}})
    other_client.create(EMAILS[0])
    assert counts(client) == (4, 3, 1)
    assert counts(other_client) == (1, 1, 0)


command = st.fixed_dictionaries(
    {"command": st.sampled_from(COMMANDS), "email": st.sampled_from(EMAILS), "query": st.sampled_from(EMAILS)}
)
item = st.fixed_dictionaries(
    {"email": st.sampled_from(EMAILS), "command": st.sampled_from([None, "subscribe", "unsubscribe"])}
)
event = st.fixed_dictionaries(
    {"email": st.sampled_from(EMAILS), "type": st.sampled_from(["visit", "$subscribe", "$unsubscribe"])}
)
act = st.one_of(
    st.tuples(st.just("/fetch/commands"), st.fixed_dictionaries({"command": st.lists(command, min_size=1,
    max_size=4)})),
    st.tuples(st.just("/batch/subscribers"), st.fixed_dictionaries({"subscribers": st.lists(item, min_size=1,
    max_size=4)})),
    st.tuples(st.just("/batch/events"), st.fixed_dictionaries({"events": st.lists(event, min_size=1,
    max_size=4)})),
    st.tuples(st.just("/fetch/subscribers"), st.fixed_dictionaries({"subscriber": item})),
)  # fmt: skip


@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(acts=st.lists(act, max_size=8))
def test_the_counters_match_the_subscribers_after_any_changes(client, acts):
    for path, body in acts:
        assert client.post(path, body).status_code in (200, 201)
        site_lane.drain(client.site.id, 30)
        counts(client)
        assert stats.for_site(client.site) == stats.recount(client.site)
