"""Migrations of a database with rows."""

from collections import Counter

from playhouse.migrations import Runner

from audience import reports, sites
from audience.first_reports import FIRST_REPORTS
from storage import database
from storage.engines import sqlite
from storage.models import MODELS


def test_an_existing_site_gets_the_first_reports_and_utc(settings):
    database.open(settings.database, allow_faulty=True)
    with database.session():
        Runner(database.database.obj, str(sqlite.MIGRATIONS)).up("0001_people")
        database.execute("INSERT INTO sites (uuid, name, user_count, unsubscriber_count, created_at) "
                         "VALUES ('one', 'One', 0, 0, 0)")  # fmt: skip
    database.migrate()
    site = sites.get_by_uuid("one")
    assert site.time_zone == "UTC"
    new = sites.create("New")
    assert [row[1:6] for row in reports.list_all(site)] == [row[1:6] for row in reports.list_all(new)]
    assert len(reports.list_all(site)) == len(FIRST_REPORTS)
    database.close()


def test_the_index_of_whom_a_row_changed_is_parted(settings):
    """Words, by the id of their row, come into the part of its number."""
    database.open(settings.database, allow_faulty=True)
    with database.session():
        Runner(database.database.obj, str(sqlite.MIGRATIONS)).up("0029_home")
        database.execute("INSERT INTO sites (id, uuid, name, created_at) VALUES (1, 'one', 'One', 0)")
        database.execute("INSERT INTO change_log VALUES (7, 1, 131072, 0, 0, 'import', 1, x'')")
        database.execute_many("INSERT INTO changed_subscribers VALUES (1, ?, ?)",
                              [(5, 1), (5, 65_535), (5, 65_536), (4, 1), (5, -7), (6, -8)])  # fmt: skip
    database.migrate()
    with database.session():
        found = database.rows("SELECT part, subscriber_id, number FROM changed_subscribers")
    assert found == [(0, 4, 1), (0, 5, 1), (0, 5, 65_535), (0, 6, -8), (1, 5, 65_536), (2, 5, -7)]
    database.close()


def test_the_consent_that_counts_gets_its_kind(settings):
    """Who came in unconfirmed and has unsubscribed since is unsubscribed, not unconfirmed."""
    database.open(settings.database, allow_faulty=True)
    with database.session():
        Runner(database.database.obj, str(sqlite.MIGRATIONS)).up("0031_dropped_changes")
        database.execute("INSERT INTO sites (id, uuid, name, created_at) VALUES (1, 'one', 'One', 0)")
        database.execute(
            "INSERT INTO site_counters (site_id, accepted, users, unsubscribers) VALUES (1, 9, 5, 3)"
        )
        people = [(1, None, None, 0), (2, None, 70, 3), (3, 70, 70, 3), (4, 70, 70, 3), (5, 70, 90, 4)]
        database.execute_many(
            "INSERT INTO subscribers (site_id, id, uuid, email, email_key, fields, tag_ids, first_name, "
            "last_name, created_at, updated_at, unsubscribed_at, consent_at, consent_number) "
            "VALUES (1, ?, ?, ?, ?, '{}', '[]', '', '', 0, 0, ?, ?, ?)",
            [(id_, str(id_), str(id_), str(id_), *rest) for id_, *rest in people],
        )
        database.execute_many(
            "INSERT INTO consent_changes (site_id, subscriber_id, at, subscribed, source, source_id, reason) "
            "VALUES (1, ?, 70, 0, 'import', 1, ?)",
            [(3, "word"), (4, "unconfirmed"), (5, "unconfirmed")],
        )
        database.execute(
            "INSERT INTO bulk_acts (site_id, kind, tag, status, actor, client_network, people, done, "
            "changed, created_at) VALUES (1, 'unsubscribe', '', 'queued', '', '', 1, 0, 0, 50)"
        )
    database.migrate()
    with database.session():
        found = database.rows("SELECT id, consent_kind, unsubscribe_number FROM subscribers ORDER BY id")
        assert database.row("SELECT accepted_at FROM site_counters") == (90,)
        assert database.row("SELECT seq, accepted_at FROM bulk_acts") == (9, 50)
    assert found == [(1, 0, None), (2, 2, None), (3, 3, 3), (4, 1, None), (5, 3, 4)]
    database.close()


def test_the_models_match_the_migrations(settings):
    database.open(settings.database, allow_faulty=True)
    database.migrate()
    with database.session():
        for model in MODELS:
            name = model._meta.table_name
            columns = {row[1]: bool(row[3]) for row in database.rows(f"PRAGMA table_info({name})")}
            assert columns == {each.column_name: not each.null for each in model._meta.sorted_fields}, name
            indexes = {row[1] for row in database.rows(f"PRAGMA index_list({name})") if row[3] == "c"}
            declared = {index._name for index in model._meta.fields_to_index()}
            assert indexes == declared, name
    database.close()


def test_every_migration_has_its_own_number():
    names = [path.name for path in sqlite.MIGRATIONS.glob("[!_]*.py")]
    numbers = Counter(name.partition("_")[0] for name in names)
    assert all(len(number) == 4 and number.isdigit() for number in numbers), names
    assert set(numbers.values()) == {1}, names
