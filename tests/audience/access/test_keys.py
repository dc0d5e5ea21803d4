"""Keys: who is let in by which, for how long, and what is kept of them."""

import pytest

from audience import clock
from audience.access import keys, sites
from audience.access.audit_log import Actor, page
from audience.errors import NotFound


@pytest.fixture
def site(app):
    return sites.create("News")


@pytest.fixture
def key(site):
    return keys.create([site], "read", "newsletter")


@pytest.fixture
def later(monkeypatch):
    """Lets time pass on both clocks, by milliseconds."""
    passed = [0]
    now_ms, uptime_ms = clock.now_ms, clock.uptime_ms
    monkeypatch.setattr(clock, "now_ms", lambda: now_ms() + passed[0])
    monkeypatch.setattr(clock, "uptime_ms", lambda: uptime_ms() + passed[0])

    def let_pass(ms):
        passed[0] += ms

    return let_pass


def lets_in(key):
    return keys.authenticate(key.publishable_key, key.secret_key) is not None


@pytest.mark.parametrize(
    ("scope", "allowed"),
    [
        ("full", {"full", "mailer", "read", "signup", "stats", "utility"}),
        ("mailer", {"mailer", "read", "stats"}),
        ("read", {"read", "stats"}),
        ("signup", {"signup", "utility"}),
        ("stats", {"stats"}),
        ("utility", {"utility"}),
    ],
)
def test_what_each_scope_allows(site, scope, allowed):
    made = keys.create([site], scope)
    found = keys.authenticate(made.publishable_key, made.secret_key)
    assert found
    scopes = ("full", "mailer", "read", "signup", "stats", "utility", "")
    assert {each for each in scopes if found.may(each)} == allowed


def test_a_key_that_is_out_is_neither_rotated_revoked_nor_renamed(key, settings):
    keys.revoke(key.publishable_key, settings.instance)
    assert not lets_in(key)
    for change in (
        lambda: keys.rotate(key.publishable_key, settings.instance),
        lambda: keys.revoke(key.publishable_key, settings.instance),
    ):
        with pytest.raises(NotFound, match="audience key list"):
            change()
    with pytest.raises(NotFound):
        keys.rename("pk_unknown", "x")


def last_use(site):
    [key] = keys.list_all(site)
    return key.last_used_at


def test_its_use_is_noted_every_five_minutes(site, key, later):
    found = keys.authenticate(key.publishable_key, key.secret_key)
    assert found
    assert last_use(site) is None
    keys.note_use(found)
    noted = last_use(site)
    later(keys.USE_MS - 10_000)
    keys.note_use(found)
    assert last_use(site) == noted
    later(10_000)
    keys.note_use(found)
    assert last_use(site) >= noted + keys.USE_MS


def test_a_clock_that_is_set_back_hides_no_use(site, key, later, monkeypatch):
    found = keys.authenticate(key.publishable_key, key.secret_key)
    assert found
    keys.note_use(found)
    noted = last_use(site)
    monkeypatch.setattr(clock, "now_ms", lambda: noted - 86_400_000)
    later(keys.USE_MS)
    assert not keys.is_noted(found)


def test_the_audit_log_of_each_site_names_who_changed_its_keys(site, settings):
    other, ann = sites.create("Shop"), Actor("ann@example.com", "192.0.2.0/24")
    made = keys.create([site, other], name="importer", actor=ann)
    keys.rename(made.publishable_key, "files", ann)
    new = keys.rotate(made.publishable_key, settings.instance, actor=ann)
    keys.revoke(new.publishable_key, settings.instance, ann)
    for each in (site, other):
        entries = [(entry.actor, entry.act, entry.subject) for entry in page(each) if "key" in entry.act]
        assert entries == [
            ("ann@example.com", act, name)
            for act, name in (
                ("key revoked", "files"), ("key rotated", "files"), ("key made", "files"),
                ("key renamed", "files"), ("key made", "importer"),
            )
        ]  # fmt: skip
