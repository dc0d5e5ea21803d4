"""Sessions and one-time links: how long they live, and who may end them."""

import pytest

from audience import clock
from audience.access import operators, sessions
from audience.access.audit_log import Actor
from audience.access.sessions import PASSWORD, SIGN_IN
from audience.clock import DAY_MS, HOUR_MS, MINUTE_MS
from audience.errors import NotFound, Refused
from storage import database


@pytest.fixture
def passing(monkeypatch):
    """Lets time pass, by milliseconds."""
    now = [clock.now_ms()]
    monkeypatch.setattr(clock, "now_ms", lambda: now[0])

    def let_pass(ms):
        now[0] += ms

    return let_pass


def added(name):
    operators.add(f"{name}@example.com", True, {}, Actor("test"))
    return operators.get(f"{name}@example.com").id


@pytest.fixture
def ann(app, passing):
    return added("ann")


def alive(token):
    session = sessions.find(token)
    assert session is not None
    return session


@pytest.mark.parametrize(
    ("remembered", "step", "lasts"),
    [
        (False, 2 * HOUR_MS, 0),  # idle
        (False, HOUR_MS, 11),  # in use: 12 hours in all
        (True, 7 * DAY_MS, 0),
        (True, DAY_MS, 29),
    ],
)
def test_how_long_a_session_lasts(ann, passing, remembered, step, lasts):
    token = sessions.begin(ann, remembered, "")
    for _ in range(lasts):
        passing(step)
        assert sessions.find(token)
    passing(step)
    assert sessions.find(token) is None
    assert sessions.list_of(ann) == []


def test_its_use_is_noted_every_five_minutes(ann, passing):
    token = sessions.begin(ann, False, "192.0.2.0/24")
    begun = alive(token).used_at
    passing(5 * MINUTE_MS - 1)
    sessions.find(token)
    assert alive(token).used_at == begun
    passing(1)
    sessions.find(token)
    assert alive(token).used_at == begun + 5 * MINUTE_MS


def test_nothing_stored_is_a_token(ann):
    token, link = sessions.begin(ann, False, ""), sessions.new_link(ann, SIGN_IN)
    with database.session():
        dump = repr(database.rows("SELECT * FROM sessions")) + repr(
            database.rows("SELECT * FROM one_time_links")
        )
    assert token not in dump
    assert link not in dump


def test_one_ends_ones_own_sessions_only(ann):
    bob = added("bob")
    mine, other = sessions.begin(ann, False, ""), sessions.begin(bob, False, "")
    with pytest.raises(NotFound):
        sessions.end(alive(other).id, ann)
    sessions.end(alive(mine).id, ann)
    assert sessions.find(mine) is None
    assert sessions.find(other)


def test_to_forget_a_token_ends_its_session_once(ann):
    token = sessions.begin(ann, False, "")
    sessions.end_by_token(token)
    sessions.end_by_token(token)
    assert sessions.find(token) is None


def test_a_search_is_kept_for_its_session_and_site(ann):
    first, second = (alive(sessions.begin(ann, False, "")).id for _ in range(2))
    name = sessions.keep_search(first, 1, "ann@")
    other = sessions.keep_search(first, 2, "bob@")
    assert name != other
    assert sessions.search_text(first, 1, name) == "ann@"
    assert sessions.search_text(first, 2, other) == "bob@"
    assert [sessions.search_text(first, *each) for each in ((2, name), (1, other), (1, ""))] == [None] * 3
    assert sessions.search_text(second, 1, name) is None


@pytest.mark.parametrize(("purpose", "lifetime"), [(SIGN_IN, 15 * MINUTE_MS), (PASSWORD, 3 * DAY_MS)])
def test_a_link_is_spent_once_and_in_its_time(ann, passing, purpose, lifetime):
    token = sessions.new_link(ann, purpose)
    passing(lifetime - 1)
    assert sessions.spend_link(token, purpose).operator_id == ann
    with pytest.raises(Refused, match="used already, or is too old"):
        sessions.spend_link(token, purpose)
    late = sessions.new_link(ann, purpose)
    passing(lifetime)
    with pytest.raises(Refused, match="used already, or is too old"):
        sessions.find_link(late, purpose)


def test_a_link_has_one_purpose_and_a_new_one_replaces_it(ann):
    link = sessions.new_link(ann, SIGN_IN)
    with pytest.raises(Refused):
        sessions.spend_link(link, PASSWORD)
    newer = sessions.new_link(ann, SIGN_IN)
    with pytest.raises(Refused):
        sessions.spend_link(link, SIGN_IN)
    assert sessions.spend_link(newer, SIGN_IN)


def test_the_token_is_in_the_fragment():
    assert (
        sessions.link("https://people.example", PASSWORD, "t") == "https://people.example/console/password#t"
    )
