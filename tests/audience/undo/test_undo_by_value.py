"""Undo goes by value; whom an import created stays where anything mentioned them since."""

import pytest

from audience import clock
from audience.access.audit_log import Actor
from audience.bulk import actions as bulk_actions
from audience.bulk import tag_deletions
from audience.changes.changes import Change
from audience.errors import Refused
from audience.imports import imports
from audience.operations import site_lane
from audience.sources import BY_KEY, SourceKind
from audience.subscribers import events, subscribers
from audience.subscribers import tags as site_tags
from audience.undo import undos
from storage import database
from storage.imports import imports as stored_imports
from storage.pace import Pace
from tests.audience.undo.test_undos import ANN, BOB, CY, put, run, tags_of, take_back
from tests.jobs import run_bulk_actions
from tests.rows import each_row
from tests.stored_people import found

ACTOR = Actor("operator", "")
WRONG = {"first_name": "W", "fields": {"plan": "z"}, "tags": ["wrong"]}
LEFT = {"command": "unsubscribe"}


def people(*emails, **values):
    return [{"email": email, **values} for email in emails]


def act_on(site, kind, *emails, tag=""):
    """A bulk action that waits; its id."""
    ids = [found(site, email).id for email in emails]
    new = bulk_actions.NewAction(kind=kind, ids=ids, seen=bulk_actions.fingerprint(ids), tag=tag)
    return bulk_actions.begin(site, new, ACTOR).id


def values(site, email):
    person = found(site, email)
    return person.first_name, person.fields, tags_of(site, email)


@pytest.mark.parametrize("waits", [False, True])
def test_all_of_the_corrected_file_are_there(site, waits):
    """The same people, the same values."""
    wrong = put(site, *people(ANN, BOB, CY, **WRONG))
    put(site, *people(ANN, BOB, **WRONG), wait=not waits)
    if waits:
        counts = undos.dry_run(site, undos.import_source(wrong), 30).counts
        assert (counts["removed"], counts["kept"]) == (1, 2)
    assert take_back(site, wrong) == (1, 0, 2)
    for email in (ANN, BOB):
        assert values(site, email) == ("W", {"plan": "z"}, {"wrong"})
    assert subscribers.find(site, CY) is None


def test_also_where_it_failed_and_may_be_tried_again(site):
    wrong = put(site, *people(ANN, BOB))
    corrected = put(site, *people(ANN), wait=False)
    with database.write(site.id):
        stored_imports.fail(site.id, corrected, clock.now_ms())
        database.execute("UPDATE jobs SET status = 'failed'")
    assert take_back(site, wrong) == (1, 0, 1)
    assert found(site, ANN)


def test_rows_of_an_import_that_is_undone_itself_keep_nobody(site):
    wrong, again = put(site, *people(ANN)), put(site, *people(ANN), wait=False)
    undos.undo_import(site, wrong, 30)
    undos.undo_import(site, again, 30)
    site_lane.drain(site.id, 30)
    assert subscribers.find(site, ANN) is None


@pytest.mark.parametrize("by", ["import", "bulk_act"])
def test_what_is_undone_itself_keeps_nobody_whose_consent_it_left(site, folder, by):
    """The wrong file sent twice, or what a bulk action tagged; Bob is named by somebody else, too."""
    wrong = put(site, *people(ANN, BOB, CY, **WRONG))
    if by == "import":
        again = undos.import_source(put(site, *people(ANN, BOB, **WRONG), {"email": CY, **LEFT}))
        undos.undo_import(site, again.id, 30)
    else:
        actions = [act_on(site, "tag", ANN, BOB, tag="x"), act_on(site, "unsubscribe", CY)]
        run_bulk_actions(folder)
        for action_id in actions:
            undos.undo_bulk_action(site, action_id, 30, ACTOR)
    run(site, command="add_tag", email=BOB, query="wrong")
    assert take_back(site, wrong) == (1, 0, 2)
    assert [bool(subscribers.find(site, email)) for email in (ANN, BOB, CY)] == [False, True, True]


SIGN_UPS = {
    "form": lambda site: subscribers.create(site, {"email": ANN, **WRONG}),
    "command": lambda site: run(site, command="subscribe", email=ANN),
    "event": lambda site: events.record(site, [(0, {"email": ANN, "type": "signed up"})], []),
    "tag that they have": lambda site: run(site, command="add_tag", email=ANN, query="wrong"),
    "bulk action that waits": lambda site: act_on(site, "tag", ANN, tag="wrong"),
}


@pytest.mark.parametrize("sign_up", SIGN_UPS)
def test_who_signed_up_by_themselves_since_stays(site, sign_up):
    wrong = put(site, *people(ANN, BOB, **WRONG))
    SIGN_UPS[sign_up](site)
    assert take_back(site, wrong) == (1, 0, 1)
    assert values(site, ANN) == ("W", {"plan": "z"}, {"wrong"})


def test_a_deleted_tag_mentions_nobody(site):
    wrong = put(site, *people(ANN, **WRONG))
    [tag] = site_tags.list_all(site)
    tag_deletions.delete(site, tag.id)
    assert take_back(site, wrong) == (1, 0, 0)


def test_a_value_that_a_later_write_repeated_goes_back_and_a_changed_one_stays(site):
    put(site, *people(ANN, BOB, first_name="A", fields={"plan": "a", "city": "Oslo"}, tags=["old"]))
    wrong = put(site, *people(ANN, BOB, remove_tags=["old"], **WRONG))
    put(site, *people(ANN, BOB, **WRONG))
    subscribers.create(site, {"email": BOB, "fields": {"plan": "b"}})
    assert take_back(site, wrong) == (0, 1, 1)
    assert values(site, ANN) == ("A", {"plan": "a", "city": "Oslo"}, {"old"})
    assert values(site, BOB) == ("A", {"plan": "b", "city": "Oslo"}, {"old"})


def test_who_is_as_before_by_what_somebody_did_since_is_counted_so(site):
    put(site, *people(ANN, first_name="A"))
    wrong = put(site, *people(ANN, first_name="W", tags=["wrong"]))
    subscribers.create(site, {"email": ANN, "first_name": "A"})
    run(site, command="remove_tag", email=ANN, query="wrong")
    assert take_back(site, wrong) == (0, 1, 0)
    assert values(site, ANN) == ("A", {}, set())


def test_what_was_set_between_two_rows_of_the_import_is_what_goes_back(site, monkeypatch):
    put(site, *people(ANN, fields={"plan": "a"}))
    real = imports._apply

    def apply(*arguments):
        done = real(*arguments)
        if found(site, ANN).fields == {"plan": "b"}:
            set_between = Change(ANN, ANN, fields={"plan": "x"})
            subscribers.write(site.id, [set_between], subscribers.accept_now(site.id))
        return done

    monkeypatch.setattr(imports, "_apply", apply)
    monkeypatch.setattr(imports, "_pace", Pace(1, 1, 1))
    wrong = put(site, *(item for plan in "bc" for item in people(ANN, fields={"plan": plan})))
    assert take_back(site, wrong) == (0, 0, 1)
    assert found(site, ANN).fields == {"plan": "x"}


def test_a_number_is_not_the_truth_value_that_it_equals(site):
    put(site, *people(ANN, fields={"n": 0}))
    wrong = put(site, *people(ANN, fields={"n": 1}))
    subscribers.create(site, {"email": ANN, "fields": {"n": True}})
    assert take_back(site, wrong) == (0, 0, 1)
    assert found(site, ANN).fields == {"n": True}


def test_a_tag_of_a_bulk_action_goes_back_where_a_later_write_repeated_it(site, folder):
    put(site, *people(ANN, BOB))
    action_id = act_on(site, "tag", ANN, BOB, tag="x")
    run_bulk_actions(folder)
    put(site, *people(ANN, tags=["x"]))
    run(site, command="remove_tag", email=BOB, query="x")
    undos.undo_bulk_action(site, action_id, 30, ACTOR)
    site_lane.drain(site.id, 30)
    undo = undos.get(site, undos.bulk_action_source(action_id))
    assert (undo.restored, undo.kept) == (2, 0)
    assert tags_of(site, ANN) == set()


def unsubscribe(site, folder, by, *, waits=False):
    """Unsubscribes Ann by an import or a bulk action; its source."""
    if by == "import":
        return undos.import_source(put(site, {"email": ANN, "command": "unsubscribe"}, wait=not waits))
    action_id = act_on(site, "unsubscribe", ANN)
    if not waits:
        run_bulk_actions(folder)
    return undos.bulk_action_source(action_id)


def undo_unsubscribing(site, folder, source):
    if source.kind == "import":
        undos.undo_import(site, source.id, 30, resubscribe=True)
    else:
        undos.undo_bulk_action(site, source.id, 30, ACTOR)
    site_lane.drain(site.id, 30)
    run_bulk_actions(folder)
    return undos.get(site, source)


@pytest.mark.parametrize("when", ["before, applied after", "after, applied", "after, waits", "dated before"])
@pytest.mark.parametrize(("by", "other"), [("bulk_act", "import"), ("import", "bulk_act")])
def test_every_other_unsubscribe_counts(site, folder, later, by, other, when):
    """Of a bulk action, or of an import with `resubscribe=1`."""
    put(site, *people(ANN))
    between = clock.now_ms() + 1
    later(5)
    if when == "before, applied after":
        unsubscribe(site, folder, other, waits=True)
    source = unsubscribe(site, folder, by)
    if when == "before, applied after":
        site_lane.drain(site.id, 30)
        run_bulk_actions(folder)
    elif when == "after, applied":
        run(site, command="unsubscribe", email=ANN)
    elif when == "dated before":
        events.record(site, [(0, {"email": ANN, "type": "$unsubscribe", "date": between})], [])
    else:
        unsubscribe(site, folder, other, waits=True)
    assert undo_unsubscribing(site, folder, source).status == "finished"
    assert found(site, ANN).unsubscribed_at


@pytest.mark.parametrize("other", ["dated before", "waited before"])
def test_also_where_the_import_has_them_twice(site, folder, later, monkeypatch, other):
    """The other unsubscribe is applied between its two rows."""
    put(site, *people(ANN))
    between = clock.now_ms() + 1
    later(5)
    if other == "waited before":
        unsubscribe(site, folder, "bulk_act", waits=True)
    real = imports._apply

    def apply(*arguments):
        done = real(*arguments)
        if other == "dated before":
            events.record(site, [(0, {"email": ANN, "type": "$unsubscribe", "date": between})], [])
        run_bulk_actions(folder)
        monkeypatch.setattr(imports, "_apply", real)
        return done

    monkeypatch.setattr(imports, "_apply", apply)
    monkeypatch.setattr(imports, "_pace", Pace(1, 1, 1))
    wrong = put(site, *[{"email": ANN, "command": "unsubscribe"}] * 2)
    undo_unsubscribing(site, folder, undos.import_source(wrong))
    assert found(site, ANN).unsubscribed_at


@pytest.mark.parametrize("by", ["bulk_act", "import"])
def test_the_consent_of_before_comes_back_whole(site, folder, by):
    run(site, command="subscribe", email=ANN)
    before = found(site, ANN)
    undo = undo_unsubscribing(site, folder, unsubscribe(site, folder, by))
    after = found(site, ANN)
    assert (undo.resubscribed, after.unsubscribed_at) == (1, None)
    for name in ("consent_at", "consent_number", "consent_kind"):
        assert getattr(after, name) == getattr(before, name)


def test_a_bulk_action_that_changed_nobody_says_so(site, folder):
    put(site, *people(ANN, tags=["x"]))
    act = act_on(site, "tag", ANN, tag="x")
    with pytest.raises(Refused, match="Only bulk actions that "):
        undos.undo_bulk_action(site, act, 30, ACTOR)
    run_bulk_actions(folder)
    with pytest.raises(Refused, match="This bulk action changed nobody"):
        undos.undo_bulk_action(site, act, 30, ACTOR)


@each_row("kind", sorted(set(SourceKind) - {*BY_KEY, SourceKind.LEFT}))
def test_whatever_mentions_somebody_has_words(kind):
    words = undos.reason_in_words(kind, "7")
    assert words.rpartition(" by ")[2].startswith(("a", "the ", "import 7", "bulk action 7", "undo 7"))
