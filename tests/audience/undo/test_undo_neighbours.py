"""What goes on beside an undo: the sweeper, uploads, the doctor, commands that change nothing."""

import pytest

from audience import jobs
from audience.changes import retention as change_log_retention
from audience.clock import DAY_MS
from audience.erasures import erasures
from audience.errors import NotFound, Refused
from audience.imports import backlog, imports
from audience.operations import site_lane
from audience.sources import Source
from audience.subscribers import custom_fields, events, field_values, subscribers
from audience.undo import undos
from storage.pace import Pace
from tests.audience.undo.test_undos import ANN, BOB, put, run, take_back
from tests.stored_people import found


@pytest.fixture
def interrupted(site, later, monkeypatch):
    """The id of an import whose second row was written seven days after its first."""
    put(site, {"email": ANN, "fields": {"plan": "a"}})
    real, rows = subscribers.write, list[object]()

    def write(*arguments):
        if rows:
            raise MemoryError
        rows.append(arguments)
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(imports, "_pace", Pace(1, 1, 1))
        patch.setattr(jobs, "RETRY_AFTER_MS", -1)
        patch.setattr(subscribers, "write", write)
        items = ({"email": ANN, "fields": {"plan": plan}} for plan in "bc")
        import_id = put(site, *items, wait=False)
        with pytest.raises(MemoryError):
            site_lane.drain(site.id, 30)
    later(7 * DAY_MS)
    site_lane.drain(site.id, 30)
    assert imports.progress(site, import_id).updated == 2
    return import_id


def test_what_the_record_has_only_the_end_of_is_refused(site, interrupted, later):
    source = Source("import", interrupted)
    assert undos.undoable_until(site, source, 30)
    later(24 * DAY_MS)
    change_log_retention.sweep(30)
    assert undos.undoable_until(site, source, 30) is None
    for ask in (undos.undo_import, lambda *_: undos.dry_run(site, source, 30)):
        with pytest.raises(Refused):
            ask(site, interrupted, 30)
    assert found(site, ANN).fields == {"plan": "c"}


@pytest.mark.parametrize("key", ["extra", 'größer "a"\n/b'])
def test_a_field_that_somebody_has_stays_while_the_values_are_made_again(site, folder, monkeypatch, key):
    import_id = put(site, {"email": ANN, "fields": {key: 1}}, {"email": BOB, "fields": {key: [], "n": ""}})
    put(site, {"email": BOB})

    def meanwhile(*_):
        take_back(site, import_id)
        raise KeyboardInterrupt

    monkeypatch.setattr(field_values, "_write_page", meanwhile)
    with pytest.raises(KeyboardInterrupt):
        field_values.rebuild(site)
    assert subscribers.find(site, ANN) is None
    assert key in {field.key for field in custom_fields.list_all(site)}
    erasures.erase(site, folder, BOB)
    assert subscribers.find(site, BOB) is None


def test_what_is_taken_back_is_no_failed_import(site):
    import_id = put(site, {"email": ANN}, wait=False)
    undos.undo_import(site, import_id, 30)
    site_lane.drain(site.id, 30)
    assert imports.progress(site, import_id).status == "failed"
    assert backlog.failed_imports() == []
    with pytest.raises(NotFound):
        imports.retry(import_id)


def test_whom_it_created_and_what_changes_nothing_mentioned_since_stays(site):
    event = {"email": BOB, "type": "buy", "unique_key": "k"}
    put(site, {"email": BOB})
    events.record(site, [(0, event)], [])
    import_id = put(site, {"email": ANN, "first_name": "A"}, {"email": BOB, "first_name": "B"})
    run(site, command="change_email", email=ANN, query=ANN)
    assert events.record(site, [(0, event)], [])[:2] == (1, [])
    assert take_back(site, import_id) == (0, 1, 1)
    assert [found(site, each).first_name for each in (ANN, BOB)] == ["A", ""]
