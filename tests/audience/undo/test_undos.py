"""Taking back an import: whom it created, what it changed, and what somebody said since stays."""

import pytest

from audience.bulk import tag_deletions
from audience.changes import pages as change_log_pages
from audience.changes import retention as change_log_retention
from audience.clock import DAY_MS
from audience.erasures import erasures
from audience.errors import NotFound, Refused
from audience.forms import forms
from audience.imports import imports
from audience.operations import site_lane
from audience.segments import segments
from audience.sources import Source
from audience.subscribers import commands, subscribers
from audience.subscribers import custom_fields as fields
from audience.subscribers import tags as site_tags
from audience.undo import undos
from storage import database
from storage.pace import Pace
from tests.change_mirror import Mirror, normal, state
from tests.client import FakeQueue
from tests.stored_people import found

ANN, BOB, CY = "ann@a.example", "bob@a.example", "cy@a.example"


def put(site, *items, wait=True):
    """Imports some items; the id."""
    accepted = imports.accept(site, list(enumerate(items)), [], FakeQueue(), 0)
    if wait:
        site_lane.drain(site.id, 30)
    return accepted.id


def take_back(site, import_id):
    """Takes an import back; (removed, restored, kept), which are all that there were."""
    undos.undo_import(site, import_id, 30)
    site_lane.drain(site.id, 30)
    undo = undos.get(site, Source("import", import_id))
    assert undo.status == "finished"
    assert undo.rows == undo.applied == undo.removed + undo.restored + undo.kept
    return undo.removed, undo.restored, undo.kept


def run(site, **command):
    done = commands.run(site, [command])
    assert not done.errors


def without_dates(people):
    return {uuid: {**person, "updated_at": 0} for uuid, person in people.items()}


def tags_of(site, email):
    known = {tag.id: tag.name for tag in site_tags.list_all(site)}
    return {known[tag_id] for tag_id in found(site, email).tag_ids}


def test_everybody_is_as_before(site):
    put(
        site,
        {"email": ANN, "first_name": "Ann", "fields": {"plan": "a", "n": 1}, "tags": ["x"]},
        {"email": BOB},
    )
    before = without_dates(state(site))
    wrong = {"first_name": "?", "last_name": "L", "fields": {"plan": "z", "more": [1]}, "tags": ["wrong"]}
    import_id = put(
        site, {"email": ANN, **wrong, "remove_tags": ["x"]}, {"email": BOB, **wrong}, {"email": CY, **wrong},
        {"email": ANN, "first_name": "??", "tags": ["x"]},
    )  # fmt: skip
    mirror = Mirror(site)
    mirror.copy()
    assert take_back(site, import_id) == (1, 2, 0)
    assert without_dates(state(site)) == before
    assert [tag.name for tag in site_tags.list_all(site)] == ["x"]
    assert {field.key for field in fields.list_all(site)} == {"plan", "n"}
    mirror.follow(100)
    assert normal(mirror.people) == normal(state(site))
    newest = change_log_pages.page(site, 0, 100).changes[-1]
    assert newest.source == ("undo", "1")


def test_of_several_pieces_each_is_done_once(site, monkeypatch):
    put(site, *({"email": f"old{n}@a.example", "fields": {"n": n}} for n in range(7)))
    before = without_dates(state(site))
    people = [
        {"email": f"{kind}{n}@a.example", "fields": {"n": "x"}} for n in range(7) for kind in ("old", "new")
    ]
    import_id = put(site, *people, *people)
    monkeypatch.setattr("audience.undo.work._pace.rows", 3)
    monkeypatch.setattr("audience.undo.work._pace.learn", lambda *_: None)
    assert take_back(site, import_id) == (7, 7, 0)
    assert without_dates(state(site)) == before


def test_what_somebody_said_since_stays(site):
    put(site, {"email": ANN, "fields": {"plan": "a"}})
    fields, tags = {"plan": "z", "city": "?"}, ["wrong", "other"]
    wrong = {"first_name": "?", "fields": fields, "tags": tags}
    import_id = put(site, *({"email": each, **wrong} for each in (ANN, BOB, CY)))
    for email in (ANN, BOB):
        subscribers.create(site, {"email": email, "fields": {"plan": "new"}})
        run(site, command="remove_tag", email=email, query="other")
    assert take_back(site, import_id) == (1, 0, 2)
    ann, bob = found(site, ANN), found(site, BOB)
    assert (ann.first_name, ann.fields, tags_of(site, ANN)) == ("", {"plan": "new"}, set())
    assert (bob.first_name, bob.fields) == ("?", fields | {"plan": "new"})
    assert tags_of(site, BOB) == {"wrong"}
    undo = undos.get(site, Source("import", import_id))
    assert undos.reasons_kept(site, undo) == [(("changed", None), 1), (("operator", None), 1)]


def test_whom_it_created_and_an_import_mentioned_since_is_kept_by_that(site):
    import_id = put(site, {"email": ANN, "first_name": "A"})
    again = put(site, {"email": ANN})
    assert take_back(site, import_id) == (0, 0, 1)
    assert undos.reasons_kept(site, undos.get(site, Source("import", import_id))) == [
        (("import", str(again)), 1)
    ]


def test_who_left_does_not_come_back(site):
    put(site, {"email": ANN}, {"email": BOB})
    run(site, command="unsubscribe", email=BOB)
    left_at = found(site, BOB).unsubscribed_at
    items = ({"email": ANN, "command": "unsubscribe"}, {"email": BOB, "command": "subscribe"})
    import_id = put(site, *items, {"email": CY, "command": "unsubscribe"})
    assert take_back(site, import_id) == (1, 1, 1)
    undo = undos.get(site, Source("import", import_id))
    assert (undo.unsubscribed_kept, undo.unsubscribed_again) == (1, 1)
    assert found(site, ANN).unsubscribed_at
    assert found(site, BOB).unsubscribed_at == left_at
    put(site, {"email": CY})
    assert found(site, CY).unsubscribed_at


def test_a_later_word_on_consent_counts(site):
    put(site, {"email": ANN, "command": "unsubscribe"}, {"email": BOB, "command": "unsubscribe"})
    import_id = put(site, *({"email": each, "command": "subscribe"} for each in (ANN, BOB)))
    run(site, command="subscribe", email=ANN)
    put(site, {"email": BOB})  # names, and says nothing of consent
    assert take_back(site, import_id) == (0, 1, 1)
    assert found(site, ANN).unsubscribed_at is None
    assert found(site, BOB).unsubscribed_at


def test_a_hash_that_the_import_lifted_is_put_back(site, folder):
    put(site, {"email": ANN})
    erasures.erase(site, folder, ANN)
    with database.session():
        before = database.rows("SELECT address_hash, reason, since, number FROM suppressions")
    import_id = put(site, {"email": ANN, "command": "subscribe"})
    assert take_back(site, import_id) == (1, 0, 0)
    with database.session():
        assert database.rows("SELECT address_hash, reason, since, number FROM suppressions") == before
    with pytest.raises(Refused):
        subscribers.create(site, {"email": ANN})


def test_whom_it_brought_back_and_somebody_named_since_is_unsubscribed(site, folder):
    put(site, {"email": ANN})
    erasures.erase(site, folder, ANN)
    import_id = put(site, {"email": ANN, "command": "subscribe"})
    subscribers.create(site, {"email": ANN, "first_name": "Ann"})
    assert take_back(site, import_id) == (0, 0, 1)
    assert found(site, ANN).unsubscribed_at
    assert undos.get(site, Source("import", import_id)).unsubscribed_again == 1


def test_a_tag_deleted_since_names_nobody_and_is_not_made_again(site):
    put(site, {"email": ANN, "tags": ["x"]})
    import_id = put(site, {"email": ANN, "remove_tags": ["x"]}, {"email": BOB, "tags": ["new"]})
    for tag in site_tags.list_all(site):
        tag_deletions.delete(site, tag.id)
    assert take_back(site, import_id) == (1, 1, 0)
    assert site_tags.list_all(site) == []


def test_what_a_segment_names_stays(site):
    import_id = put(site, {"email": ANN, "tags": ["a", "b"], "fields": {"plan": 1, "n": 1}})
    rules = {"all": [{"tag": {"in": ["A"]}}, {"not": {"field": "plan", "exists": True}}]}
    segments.create(site, {"name": "x", "rules": rules})
    take_back(site, import_id)
    assert [tag.name for tag in site_tags.list_all(site)] == ["a"]
    assert [field.key for field in fields.list_all(site)] == ["plan"]


def test_what_a_form_names_stays(site):
    import_id = put(site, {"email": ANN, "tags": ["a", "b"], "fields": {"plan": "x", "n": 1}})
    form = {"name": "Footer", "tags": ["A"], "fields": [{"key": "plan", "required": False}]}
    forms.create(site, form | {"wording": {"en": "News."}})
    take_back(site, import_id)
    assert [tag.name for tag in site_tags.list_all(site)] == ["a"]
    assert [field.key for field in fields.list_all(site)] == ["plan"]


def test_an_import_that_has_not_ended_is_stopped(site):
    import_id = put(site, {"email": ANN}, {"email": BOB}, wait=False)
    other = put(site, {"email": CY}, wait=False)
    undo = undos.undo_import(site, import_id, 30)
    site_lane.drain(site.id, 30)
    stopped = imports.progress(site, import_id)
    assert (stopped.status, stopped.applied, imports.progress(site, other).status) == (
        "failed",
        0,
        "finished",
    )
    with pytest.raises(NotFound):
        imports.retry(import_id)
    assert undos.undo_import(site, import_id, 30).id == undo.id
    assert [person["email"] for person in state(site).values()] == [CY]
    with database.session():
        assert database.row("SELECT count(*) FROM import_batches") == (0,)


def test_an_import_accepted_after_an_undo_is_applied_after_it(site):
    import_id = put(site, {"email": ANN, "first_name": "A"})
    undos.undo_import(site, import_id, 30)
    imports.accept(site, [(0, {"email": ANN, "first_name": "B"})], [], FakeQueue(), 1)
    site_lane.drain(site.id, 30)
    assert undos.get(site, Source("import", import_id)).kept == 1
    assert found(site, ANN).first_name == "B"


def test_a_dry_run_counts_and_does_nothing(site):
    put(site, {"email": ANN}, {"email": BOB, "first_name": "B"})
    items = [{"email": each, "first_name": "A", "command": "unsubscribe"} for each in (ANN, BOB, CY)]
    import_id = put(site, *items, *({**each, "first_name": "B"} for each in items))
    subscribers.create(site, {"email": BOB, "first_name": "C"})
    before = state(site)
    count, _ = undos.dry_run(site, Source("import", import_id), 30)
    assert (count["removed"], count["restored"], count["kept"], count["unsubscribed_kept"]) == (1, 0, 2, 2)
    assert state(site) == before
    assert take_back(site, import_id) == (1, 0, 2)


def test_what_the_record_no_longer_has_is_refused(site, later):
    import_id = put(site, {"email": ANN})
    later(31 * DAY_MS)
    for ask in (undos.undo_import, lambda *_: undos.dry_run(site, Source("import", import_id), 30)):
        with pytest.raises(Refused):
            ask(site, import_id, 30)
    with pytest.raises(NotFound):
        undos.undo_import(site, 99, 30)


def test_the_record_stays_until_an_undo_has_ended(site, later):
    import_id = put(site, {"email": ANN})
    later(29 * DAY_MS)
    undos.undo_import(site, import_id, 30)
    later(9 * DAY_MS)
    change_log_retention.sweep(30)
    site_lane.drain(site.id, 30)
    assert undos.get(site, Source("import", import_id)).removed == 1
    change_log_retention.sweep(30)
    later(31 * DAY_MS)
    undos.sweep(30)
    with database.session():
        assert database.row("SELECT count(*) FROM undo_people") == (0,)


def test_erasing_takes_a_person_out_of_what_undo_keeps(site, folder):
    put(site, {"email": ANN})
    take_back(site, put(site, {"email": ANN, "first_name": "A"}))
    erasures.erase(site, folder, ANN)
    with database.session():
        assert database.row("SELECT count(*) FROM undo_people") == (0,)


def test_of_somebody_removed_the_record_has_only_the_number(site):
    import_id = put(site, {"email": ANN}, {"email": BOB})
    put(site, {"email": "zoe@a.example"})
    imports.accept(site, [], [], FakeQueue(), 1)
    second = put(site, {"email": CY, "first_name": "Cy"}, {"email": CY, "first_name": "Cyrus"})
    take_back(site, import_id)
    take_back(site, second)
    page = change_log_pages.page(site, 0, 100)
    assert [each.kind for each in page.changes].count("created") == 1
    with database.session():
        assert database.row("SELECT count(*) FROM changed_subscribers") == (0,)
        assert database.row("SELECT count(*) FROM erased_subscribers WHERE waiting = 1") == (0,)


@pytest.mark.parametrize(("days_then", "days_now", "clock_ahead_days"), [(30, 90, 0), (30, 30, 3)])
def test_what_the_record_has_lost_some_rows_of_is_not_taken_back(
    site, later, monkeypatch, days_then, days_now, clock_ahead_days
):
    """Its first rows, whatever the days are by now that the record is kept, or what the clock said then."""
    put(site, *({"email": email, "first_name": "Before"} for email in (ANN, BOB)))
    monkeypatch.setattr(imports, "_pace", Pace(1, 1, 1))
    real = imports._apply
    monkeypatch.setattr(imports, "_apply", lambda *arguments: (real(*arguments), later(2 * DAY_MS))[0])
    import_id = put(site, *({"email": email, "first_name": "Wrong"} for email in (ANN, BOB)))
    later(27 * DAY_MS + 1)
    assert undos.undoable_until(site, undos.import_source(import_id), 90)
    change_log_retention.sweep(days_then)
    later(-clock_ahead_days * DAY_MS)
    assert undos.undoable_until(site, undos.import_source(import_id), days_now) is None
    with pytest.raises(Refused, match="no longer in the record"):
        undos.undo_import(site, import_id, days_now)
    assert found(site, ANN).first_name == found(site, BOB).first_name == "Wrong"
