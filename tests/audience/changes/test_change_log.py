"""The record of changes: it gives the state, and forgets whom it must."""

import json
import random
import zlib
from contextlib import suppress

import pytest

from audience import clock
from audience.bulk import tag_deletions
from audience.changes import log as change_log
from audience.changes import pages as change_log_pages
from audience.changes import retention as change_log_retention
from audience.changes.changes import Change
from audience.erasures import erasures
from audience.imports import dry_runs
from audience.operations import change_log_replay
from audience.sources import RESTORE, Source
from audience.subscribers import commands, events, subscribers
from audience.subscribers import tags as site_tags
from schemas.formats.rows import FileRow
from storage import database
from tests.audience.undo.test_undos import put
from tests.change_mirror import Mirror, normal, state

ANN, BOB = "ann@a.example", "bob@a.example"
NAMES = ["vip", "new", "old"]
VALUES = ["x", 1, 1.0, True, [1], {"a": 1}]
pytestmark = pytest.mark.usefixtures("small_parts")


def blobs(site):
    with database.session():
        found = database.rows("SELECT entries FROM change_log WHERE site_id = ? ORDER BY id", (site.id,))
    return [zlib.decompress(bytes(entries)).decode() for (entries,) in found]


def sizes(site):
    """Of the record, of its index, of the markers of erased people, and of the bytes counted."""
    with database.session():
        return database.row(
            "SELECT (SELECT count(*) FROM change_log), (SELECT count(*) FROM changed_subscribers), "
            "(SELECT count(*) FROM erased_subscribers), change_bytes FROM site_counters WHERE site_id = ?",
            (site.id,),
        )


def act(site, folder, chance):
    """One random write."""
    email = f"p{chance.randrange(12)}@a.example"
    kind = chance.randrange(9)
    if kind == 0:
        erasures.erase(site, folder, email)
    elif kind == 1:
        command = {"command": "change_email", "email": email, "query": f"p{chance.randrange(12)}@a.example"}
        tag = {"command": "add_tag", "email": email, "query": chance.choice(NAMES)}
        commands.run(site, [tag, command, tag | {"command": "remove_tag"}])
    elif kind == 2 and chance.random() < 0.2:
        known = site_tags.list_all(site)
        if known:
            tag_deletions.delete(site, chance.choice(known).id)
    elif kind == 3:
        events.record(site, [(0, {"email": email, "type": "$unsubscribe", "fields": {"plan": "x"}})], [])
    else:
        with database.write(site.id):
            subscribers.write(site.id, list(some_changes(chance)), subscribers.accept_now(site.id))


def some_changes(chance):
    for _ in range(chance.randrange(1, 8)):
        email = f"p{chance.randrange(12)}@a.example"
        yield Change(
            email, email,
            first_name=chance.choice(["", "A", "B"]),
            fields={key: chance.choice(VALUES) for key in chance.sample("abc", 2)},
            tags=chance.sample(NAMES, chance.randrange(3)),
            remove_tags=chance.sample(NAMES, chance.randrange(2)),
            consent=chance.choice(["", "", "subscribe", "unsubscribe"]),
            remove_fields=chance.sample("abc", chance.randrange(2)),
            event_at=chance.choice([None, clock.now_ms()]),
        )  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_following_the_record_gives_the_state(site, folder, seed):
    chance = random.Random(seed)
    from_the_start, late = Mirror(site), Mirror(site)
    for turn in range(60):
        act(site, folder, chance)
        if turn == 20:
            late.copy()
        if turn >= 20 and chance.random() < 0.3:
            late.follow(chance.choice([1, 2, 1000]))
            assert normal(late.people) == normal(state(site))
    for mirror in (from_the_start, late):
        mirror.follow(chance.choice([1, 3, 1000]))
        assert normal(mirror.people) == normal(state(site))


def test_what_is_rolled_back_or_only_tried_leaves_nothing(site):
    with suppress(ZeroDivisionError), database.write(site.id):
        change = Change(ANN, ANN)
        subscribers.write(site.id, [change], subscribers.accept_now(site.id))
        raise ZeroDivisionError
    dry_runs.dry_run(site, (row for row in [FileRow(1, {}, ANN, item={"email": ANN})]))
    assert (change_log_pages.newest_number(site), blobs(site)) == (0, [])


def test_only_ids_of_the_new_and_of_those_of_an_import_who_stay_as_they_are(site):
    subscribers.create(site, {"email": BOB})
    before = len(blobs(site))
    subscribers.create(site, {"email": BOB})
    put(site, {"email": ANN, "first_name": "Ann", "fields": {"plan": "pro"}})
    subscribers.create(site, {"email": ANN, "first_name": "Ann"})
    subscribers.create(site, {"email": ANN, "first_name": "Anna"})
    created, unchanged, changed = map(json.loads, blobs(site)[before:])
    [id_] = created["created"]
    assert created.pop("accepted")
    assert created == {"created": [id_], "made_fields": ["plan"]}
    assert unchanged == {"unchanged": [id_]}
    assert changed == {"changed": [[id_, {"first_name": "Anna"}, {"first_name": "Ann"}]]}
    assert change_log_pages.newest_number(site) == 3


def test_erasing_leaves_nothing_of_a_person_but_ids(site, folder):
    for email in (ANN, BOB):
        subscribers.create(site, {"email": email, "fields": {"plan": "basic"}})
        move = {"command": "change_email", "email": email, "query": f"moved-{email}"}
        plan = {
            "command": "add_field",
            "email": f"moved-{email}",
            "query": {"fields": {"plan": f"of {email}"}},
        }
        commands.run(site, [move, plan])
    erasures.erase(site, folder, f"moved-{ANN}")
    assert ANN not in "".join(blobs(site))
    assert f"moved-{BOB}" in "".join(blobs(site))
    page = change_log_pages.page(site, 0, 100)
    assert [each.kind for each in page.changes] == ["erased", "erased", "created", "updated", "erased"]
    assert len({each.uuid for each in page.changes}) == 2
    assert sizes(site)[1] == 1


def test_a_crash_before_blanking_is_made_good_by_the_sweeper(site, folder, monkeypatch):
    subscribers.create(site, {"email": ANN})
    subscribers.create(site, {"email": ANN, "first_name": "Ann"})
    with monkeypatch.context() as crashed:
        crashed.setattr(change_log, "blank_erased_values", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            erasures.erase(site, folder, ANN)
    assert "Ann" in "".join(blobs(site))
    assert {each.kind for each in change_log_pages.page(site, 0, 9).changes} == {"erased"}
    change_log_retention.sweep(30)
    assert "Ann" not in "".join(blobs(site))


@pytest.mark.parametrize("spelled_anew", ["vip", "VIP"])
def test_a_name_that_another_tag_took_over_meanwhile_is_not_taken_off(site, monkeypatch, spelled_anew):
    for tagged in ([], ["vip"]):
        subscribers.create(site, {"email": ANN, "tags": tagged})
    [tag] = site_tags.list_all(site)
    mirror = Mirror(site)
    mirror.copy()
    with monkeypatch.context() as crashed:
        crashed.setattr(tag_deletions, "_strip", lambda *_: None)
        tag_deletions.delete(site, tag.id)
    subscribers.create(site, {"email": ANN, "tags": [spelled_anew]})
    tag_deletions.sweep()
    mirror.follow(100)
    assert normal(mirror.people) == normal(state(site))
    assert change_log_replay.differing(site) == (0, 1)


def test_the_sweeper_goes_on_under_the_source_that_deleted_a_tag(site, monkeypatch):
    monkeypatch.setattr(tag_deletions, "CHUNK_ROWS", 1)
    for email in (ANN, BOB):
        subscribers.create(site, {"email": email, "tags": ["vip"]})
    [tag] = site_tags.list_all(site)
    with monkeypatch.context() as crashed:
        crashed.setattr(tag_deletions, "_strip", lambda *_: None)
        tag_deletions.delete(site, tag.id, Source("cli"))
    tag_deletions.sweep()
    taken = change_log_pages.page(site, 2, 100).changes
    assert [(each.source[0], each.changed["tags_removed"]) for each in taken] == [("cli", ["vip"])] * 2


def test_a_history_is_of_one_person_newest_first(site):
    for email in (ANN, BOB):
        subscribers.create(site, {"email": email})
    for name in ("A", "B"):
        with database.write(site.id):
            both = [Change(email, email, first_name=name) for email in (ANN, BOB)]
            subscribers.write(site.id, both, subscribers.accept_now(site.id))
    ann = subscribers.find(site, ANN)
    assert ann is not None
    entries = change_log_pages.history(site, ann.uuid).changes
    assert [(each.email, each.changed["first_name"]) for each in entries] == [(ANN, "B"), (ANN, "A")]


def test_a_person_who_is_not_as_the_record_says_is_found(site):
    subscribers.create(site, {"email": ANN, "fields": {"plan": "basic", "a": 1}, "tags": ["old"]})
    subscribers.create(site, {"email": ANN, "fields": {"plan": "pro"}, "tags": ["vip"], "first_name": "Ann"})
    subscribers.create(site, {"email": BOB})
    assert change_log_replay.differing(site) == (0, 1)
    for wrong in (
        "UPDATE subscribers SET first_name = 'Anna'",
        "UPDATE subscribers SET fields = '{}'",
        "UPDATE subscribers SET tag_ids = '[]'",
    ):
        with suppress(ZeroDivisionError), database.write(site.id):
            database.execute(wrong)
            assert change_log_replay.differing(site) == (1, 1)
            raise ZeroDivisionError
    assert change_log_replay.differing(site) == (0, 1)


def test_values_of_before_that_json_no_longer_takes_are_recorded(site):
    subscribers.create(site, {"email": ANN, "fields": {"n": 1}})
    with database.write(site.id):
        database.execute("UPDATE subscribers SET fields = ?", (json.dumps({"n": 2**70}),))
    subscribers.create(site, {"email": ANN, "fields": {"n": 2}})
    assert str(2**70) in blobs(site)[-1]


def test_after_a_restore_somebody_is_erased_from_what_was_before_it(site, folder):
    """It raises the numbers by as much as the clock says: no part lies between."""
    subscribers.create(site, {"email": ANN})
    subscribers.create(site, {"email": ANN, "first_name": "Zebra"})
    with database.write(site.id):
        change_log.record_reset(site.id, RESTORE, clock.now_ms() * 1_000)
    subscribers.create(site, {"email": ANN, "first_name": "Anna"})
    ann = subscribers.find(site, ANN)
    assert ann is not None
    assert len(change_log_pages.history(site, ann.uuid).changes) == 2
    erasures.erase(site, folder, ANN)
    assert "Zebra" not in "".join(blobs(site))
    assert "Anna" not in "".join(blobs(site))
    change_log_retention.sweep(0)
    assert sizes(site)[1] == 0
