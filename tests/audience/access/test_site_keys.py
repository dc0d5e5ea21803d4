"""What hangs on the key of a site, and what was made before sites had keys."""

import base64

import pytest

from app import open_instance
from audience.access import keys, site_keys, sites
from audience.erasures import erasures
from audience.erasures import log as erasure_log
from audience.imports import imports
from audience.operations import site_lane
from audience.privacy import pepper
from audience.subscribers import subscribers
from audience.webhooks import webhooks
from storage import database
from storage.erasures import suppressions
from storage.erasures.suppressions import Suppression
from tests.client import FakeQueue
from tests.storage import instance_before as before

# Of the webhook that the instance has, as it was shown when it was made.
SECRET = "whsec_IfOskuqzitqTXPEVUDXPV8Q8u3AUDRcyZcSM/Kh7E2Y="
MOVED, ERASED = "p0@example.org", "p1@example.org"


@pytest.fixture
def site(settings):
    before.load(settings)
    open_instance(settings, is_backed_up=True)
    yield sites.list_all()[0]
    database.close()


def hashes(site):
    with database.session():
        return list(suppressions.all_of_site(site.id))


def test_two_sites_know_an_address_by_two_hashes(app):
    one, other = (sites.create(name) for name in "ab")
    found = {site_keys.address_hash(site.id, "ann@example.com") for site in (one, other)}
    assert len(found) == 2
    assert all(each.startswith(site_keys.SECOND) for each in found)
    assert len(site_keys.address_hashes(one.id, "ann@example.com")) == 1


def test_the_key_hangs_on_pepper_uuid_and_nonce_and_not_on_the_id(app):
    site = sites.create("a")
    key = site_keys.get(site.id).key
    assert key.hex() == pepper.digest("site", f"{site.uuid} {nonce_of(site)}")


def nonce_of(site):
    with database.session():
        return database.row("SELECT key_nonce FROM sites WHERE id = ?", (site.id,))[0]


def test_a_site_of_before_has_no_nonce_so_that_its_backup_yields_the_same_key(site):
    assert nonce_of(site) == ""
    assert site_keys.get(site.id).is_first
    assert nonce_of(sites.create("new")) != ""


def test_who_is_known_by_a_hash_of_before_stays_away_and_is_known_by_one_of_now(site):
    first = pepper.address_hash(site.id, MOVED)
    assert first in hashes(site)
    assert subscribers.create(site, {"email": MOVED}).unsubscribed_at
    assert first not in hashes(site)
    accepted = imports.accept(site, [(0, {"email": ERASED})], [], FakeQueue(), 0)
    site_lane.drain(site.id, 5)
    assert imports.progress(site, accepted.id).suppressed == 1
    assert pepper.address_hash(site.id, ERASED) not in hashes(site)
    assert site_keys.address_hash(site.id, ERASED) in hashes(site)


@pytest.mark.parametrize(("old", "new"), [
    ("unsubscribed", "unsubscribed"), ("erased", "erased"),
    ("erased", "unsubscribed"), ("unsubscribed", "erased"),
])  # fmt: skip
def test_of_two_hashes_of_one_address_the_later_event_stays(site, old, new):
    """A restore of a backup of before adds the one of now beside the one that the backup has."""
    first, second = (
        pepper.address_hash(site.id, "two@example.org"),
        site_keys.address_hash(site.id, "two@example.org"),
    )
    with database.write(site.id):
        suppressions.add(site.id, {first: Suppression(old, 1_000, 1), second: Suppression(new, 9_000, 9)})
        site_keys.renew_hashes(site.id, ["two@example.org"])
        found = suppressions.find_by_hash(site.id, [first, second])
    reason = "erased" if "erased" in (old, new) else "unsubscribed"
    assert found == {second: Suppression(reason, 9_000, 9)}


def test_an_erasure_forgets_the_hash_of_before(site, settings):
    subscribers.create(site, {"email": MOVED})
    erasures.erase(site, settings.instance, email=MOVED)
    assert pepper.address_hash(site.id, MOVED) not in hashes(site)
    lines = [line.address_hash for line in erasure_log.list_all(settings.instance)[-2:]]
    assert lines == site_keys.address_hashes(site.id, MOVED)


def test_a_webhook_of_before_keeps_its_secret_until_it_is_renewed(site):
    [webhook] = webhooks.list_all(site)
    assert webhooks.current_secrets(site.id, webhook) == [SECRET]
    renewed, secret = webhooks.rotate(site, webhook.id)
    assert webhooks.current_secrets(site.id, renewed) == [secret, SECRET]
    assert len(base64.b64decode(secret.removeprefix("whsec_"))) == 32


def test_a_key_of_before_works_and_turns_at_its_next_use(site):
    new = keys.create([site])
    first = keys.secret_hashes(new.secret_key)[1]
    with database.write(database.SHARED):
        database.execute(
            "UPDATE keys SET secret_hash = ? WHERE publishable_key = ?", (first, new.publishable_key)
        )
    authenticated = keys.authenticate(new.publishable_key, new.secret_key)
    assert authenticated
    keys.note_use(authenticated)
    [stored] = [each for each in keys.list_all() if each.publishable_key == new.publishable_key]
    assert stored.secret_hash == keys.secret_hashes(new.secret_key)[0]
    assert keys.authenticate(new.publishable_key, new.secret_key)
    assert keys.authenticate(new.publishable_key, "sk_other") is None


def test_what_was_refused_before_is_looked_for_under_both(site):
    assert site_keys.sent_address_hashes(site.id, "Ann@Example.com") == [
        site_keys.address_hash(site.id, "ann@example.com"),
        pepper.address_hash(site.id, "ann@example.com"),
    ]
