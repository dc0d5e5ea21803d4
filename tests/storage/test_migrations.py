"""Migrations of a database with rows."""

from collections import Counter

from storage import database
from storage.engines import sqlite
from storage.models import MODELS


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
