"""A database of the last commit before the first migration is taken over; an earlier one is refused."""

import pytest
from playhouse.migrations import Runner

from app import open_instance
from audience import jobs
from audience.access import keys, sites
from audience.errors import Refused
from audience.operations import site_lane
from audience.segments import counts as segment_counts
from audience.segments import segments
from audience.subscribers import field_values, subscribers
from storage import database
from storage.engines.chosen import engine
from storage.errors import Unusable
from storage.instance import moves
from storage.instance.state import HERE, LEAVING, Phase
from storage.opening import history
from tests.cli.restored import run_on
from tests.jobs import count_segments, run_bulk_actions
from tests.storage import instance_before as before

NEWEST = "SELECT name FROM schema_migration ORDER BY name"


@pytest.fixture
def loaded(settings):
    before.load(settings)
    yield settings
    database.close()


def only_the_first():
    with database.session():
        runner = Runner(database.database.obj, str(engine.MIGRATIONS))
        history.replace_old_history(runner)
        return runner.up(history.FIRST)


def names():
    with database.session():
        return [name for (name,) in database.rows(NEWEST)]


def test_it_has_the_tables_defaults_indexes_and_rows_of_a_new_one(loaded, request):
    rows = before.contents()
    assert only_the_first() == []
    assert (names(), before.contents()) == ([history.FIRST], rows)
    adopted = before.shape()
    database.close()
    new = request.getfixturevalue("new_database")
    database.open(new)
    only_the_first()
    assert before.shape() == adopted


@pytest.fixture
def new_database(loaded, tmp_path, request):
    """The URL of a database without tables, of the same engine."""
    if loaded.database.startswith("sqlite"):
        return f"sqlite:///{tmp_path / 'new.db'}"
    return request.getfixturevalue("server").create()


def test_it_is_migrated_once_and_what_waits_in_it_is_done(loaded):
    open_instance(loaded, is_backed_up=True)
    assert database.migrate() == []
    [site] = sites.list_all()
    assert field_values.differing(site) == (0, 8)
    assert "webhook" in jobs.due_kinds(site.id)
    site_lane.drain(site.id, 5)
    run_bulk_actions(loaded.instance)
    count_segments()
    assert segment_counts.by_segment(site).keys() == {each.id for each in segments.list_all(site)} != set()
    assert subscribers.find(site, email="late@example.org")
    found = [subscribers.find(site, email=f"p{n}@example.org") for n in (2, 3, 4, 5)]
    assert [each and each.unsubscribed_at is not None for each in found] == [True, True, True, False]
    for address in ("bob@example.com", "p1@example.org"):  # erased
        with pytest.raises(Refused):
            subscribers.create(site, {"email": address})
    assert subscribers.create(site, {"email": "p0@example.org"}).unsubscribed_at  # left, and moved away
    [key] = keys.list_all(site)
    assert key.scope == "full"


def test_an_earlier_one_is_refused_and_stays_as_it_is(loaded):
    with database.write():
        database.execute("DELETE FROM schema_migration WHERE name > '0031_dropped_changes'")
    rows, applied = before.contents(), names()
    database.close()
    with pytest.raises(Unusable, match=f"too old.*0031_dropped_changes.*commit {history.UPGRADE_WITH[:7]}"):
        open_instance(loaded)
    assert (before.contents(), names()) == (rows, applied)


def test_it_is_taken_over_whole_or_not_at_all(loaded, monkeypatch):
    def cut_off(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Runner, "fake", cut_off)
    applied = names()
    with pytest.raises(KeyboardInterrupt):
        open_instance(loaded, is_backed_up=True)
    monkeypatch.undo()
    assert names() == applied
    database.close()
    open_instance(loaded, is_backed_up=True)
    assert names()[0] == history.FIRST


def test_it_is_backed_up_first(loaded):
    database.close()
    if loaded.database.startswith("sqlite"):
        open_instance(loaded)
        assert len([*loaded.instance.glob("before-upgrade*")]) == 1
    else:
        with pytest.raises(Unusable, match="run `audience migrate --backed-up`"):
            open_instance(loaded)


@pytest.mark.of_sqlite
def test_a_move_that_began_before_is_taken_back_and_begins_anew(loaded, tmp_path):
    target = f"sqlite:///{tmp_path / 'new.db'}"
    database.close()
    with moves.connected(loaded.database, None, 3, False) as end:
        end.set_phase(HERE, Phase("begun", LEAVING, target, 1))
    refused = str(run_on(loaded, "move", "--to", f"sqlite:{tmp_path / 'new.db'}").exception)
    assert "undo it with `audience move --undo`" in refused
    for words in (("move", "--undo"), ("migrate",), ("move", "--to", f"sqlite:{tmp_path / 'new.db'}")):
        assert run_on(loaded, *words).exit_code == 0, words
    database.close()
    with moves.connected(target, None, 3, False) as end:
        assert end.newest_migration() != history.LAST_BEFORE
        assert end.phase() == HERE
