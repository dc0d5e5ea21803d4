"""An undo that waited or was half done when Audience was upgraded goes on by value."""

import zlib

import orjson
import pytest

from audience import clock, jobs
from audience.access.audit_log import Actor
from audience.imports import imports
from audience.operations import site_lane
from audience.subscribers import subscribers
from audience.undo import undos
from audience.undo import work as undo_work
from storage import database, leases
from storage.engines.chosen import engine
from storage.pace import Pace
from tests.audience.undo.test_undo_by_value import act_on, people
from tests.audience.undo.test_undos import ANN, BOB, CY, put
from tests.jobs import run_bulk_actions
from tests.stored_people import found

NEW = [f"p{number}@a.example" for number in range(4)]


@pytest.fixture
def upgrade():
    """Makes the open database as it was before the migration, and migrates it."""

    def back_and_forth():
        with database.write():
            for column in ("read_row", "read_batch", "read_piece"):
                database.execute(f"ALTER TABLE undos DROP COLUMN {column}")
            database.execute("DELETE FROM undo_people WHERE outcome = 'mentioned'")
            database.execute("DELETE FROM schema_migration WHERE name = '0004_mentions'")
        assert database.migrate() == ["0004_mentions"]

    return back_and_forth


@pytest.mark.parametrize("pieces", [0, 1, 3])
def test_it_goes_on_where_it_stopped(site, upgrade, monkeypatch, pieces):
    put(site, *people(ANN, BOB, first_name="A"))
    wrong = put(site, *people(*NEW, ANN, BOB, first_name="W"))
    put(site, *people(NEW[1], NEW[3], BOB, first_name="W"))
    monkeypatch.setattr(undo_work, "_pace", Pace(1, 1, 1))
    undos.undo_import(site, wrong, 30)
    with monkeypatch.context() as patch:
        real, left = undo_work._do_chunk, iter(range(pieces))
        patch.setattr(
            undo_work, "_do_chunk", lambda job: real(job) if next(left, None) is not None else 1 / 0
        )
        patch.setattr(jobs, "MACHINE_FAULTS", (ZeroDivisionError,))
        with pytest.raises(ZeroDivisionError):
            site_lane.drain(site.id, 30)
    assert undos.get(site, undos.import_source(wrong)).applied == pieces
    upgrade()
    later = clock.uptime_ms() + jobs.SITE.lease_ms + 1
    monkeypatch.setattr(clock, "uptime_ms", lambda: later)
    monkeypatch.setattr(leases, "now", lambda uptime: uptime)
    site_lane.drain(site.id, 30)
    undo = undos.get(site, undos.import_source(wrong))
    assert (undo.status, undo.removed, undo.restored, undo.kept) == ("finished", 2, 2, 2)
    assert [subscribers.find(site, email) is not None for email in NEW] == [False, True, False, True]
    assert [found(site, email).first_name for email in (ANN, BOB)] == ["A", "A"]


def test_an_unsubscribe_that_came_late_before_the_upgrade_counts(site, folder, upgrade):
    """The record noted it; the number was the greater one, that of the bulk action."""
    put(site, *people(ANN, CY))
    waits = put(site, {"email": ANN, "command": "unsubscribe"}, wait=False)
    action_id = act_on(site, "unsubscribe", ANN, CY)
    run_bulk_actions(folder)
    site_lane.drain(site.id, 30)
    assert imports.progress(site, waits).status == "finished"
    ann = found(site, ANN)
    with database.write(site.id):
        database.execute(
            "UPDATE subscribers SET unsubscribe_number = consent_number WHERE site_id = ?", (site.id,)
        )
        [(row_id, packed)] = database.rows(
            "SELECT id, entries FROM change_log WHERE site_id = ? ORDER BY id DESC LIMIT 1", (site.id,)
        )
        noted = orjson.loads(zlib.decompress(bytes(packed))) | {"overtaken": [ann.id]}
        entries = zlib.compress(orjson.dumps(noted))
        database.execute("UPDATE change_log SET entries = ? WHERE id = ?", (entries, row_id))
    upgrade()
    undos.undo_bulk_action(site, action_id, 30, Actor("operator"))
    site_lane.drain(site.id, 30)
    assert undos.get(site, undos.bulk_action_source(action_id)).unsubscribed_kept == 1
    assert found(site, ANN).unsubscribed_at
    assert found(site, CY).unsubscribed_at is None


def test_older_code_may_not_go_on_writing(site):
    if engine.NAME == "postgresql":
        with database.session():
            assert database.row("SELECT lowest_writer FROM instance_state") == (9,)
