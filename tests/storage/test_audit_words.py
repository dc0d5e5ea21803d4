"""The audit log of an earlier version in the words of today."""

import pytest

from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.imports import imports
from audience.operations import site_lane
from audience.undo import undos
from storage import database
from tests.client import FakeQueue

ANN = Actor("ann@example.com")
ENTRIES = [
    # as an earlier version stored an entry, and as it is shown and searched for today: action and subject
    ("tag put on: begun, \u00e9", "u", "tag added: begun, \u00e9", "u"),
    ("tag put on many, begun: vip, everybody", "act 1",
     "tag added to many subscribers, started: vip, everybody", "bulk action 1"),
    ("many unsubscribed", "act 12", "many subscribers unsubscribed", "bulk action 12"),
    ("tag taken off many, taken back: vip", "act 2", "tag removed from many subscribers, undone: vip",
     "bulk action 2"),
    ("field deleted, begun: plan", "act 3", "custom field deleted, started: plan", "bulk action 3"),
    ("many exported with links, broken off", "act 4", "many subscribers exported with links, interrupted",
     "bulk action 4"),
    ("kept subscribers downloaded", "act 2", "kept subscribers downloaded", "bulk action 2"),
    ("segment exported, begun", "act 1", "segment exported, started", "act 1"),
    ("events exported, broken off", "", "events exported, interrupted", ""),
    ("put on the list moderation/insults", "ass", "added to the list moderation/insults", "ass"),
    ("import, people subscribed again, to be undone", "import 8",
     "import, undo requested, people subscribed again", "import 8"),
    ("administrator", "", "made an administrator", ""),
    ("site made", "tag put on", "site made", "tag put on"),
]  # fmt: skip


@pytest.fixture
def upgrade(app):
    """Migrates an instance whose last migration was that before the words."""

    def migrate():
        with database.write():
            database.execute("DELETE FROM schema_migration WHERE name = '0024_audit_words'", ())
        return database.migrate()

    return migrate


def test_earlier_entries_have_the_words_of_today(client, upgrade):
    for action, subject, *_ in ENTRIES:
        audit_log.record(ANN, action, client.site, subject)
    assert upgrade() == ["0024_audit_words"]
    _, *entries = reversed(audit_log.page(client.site))  # first that of the client's key
    assert [(entry.act, entry.subject) for entry in entries] == [entry[2:] for entry in ENTRIES]


def test_an_undo_that_waits_at_the_upgrade_is_recorded_for_who_requested_it(client, upgrade):
    imports.accept(client.site, [(0, {"email": "a@a.example"})], [], FakeQueue(), 0)
    site_lane.drain(client.site.id, 30)
    undos.undo_import(client.site, 1, 30)
    audit_log.record(ANN, "import to be undone", client.site, "import 1")
    upgrade()
    assert undos.requested_by(client.site, undos.import_source(1)) == ANN.name
    site_lane.drain(client.site.id, 30)
    newest = audit_log.page(client.site)[0]
    assert (newest.actor, newest.act, newest.subjects) == (ANN.name, "import, undone", 1)
