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
