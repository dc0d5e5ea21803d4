"""Migrations of a database with rows."""

import re
from collections import Counter

from playhouse.migrations import Runner

from storage import database
from storage.engines import postgresql, sqlite
from storage.models import MODELS

GROWS_WITH_THE_LIST = (
    "subscribers", "subscriber_tags", "events", "consent_changes", "consent_proofs", "value_holders",
    "distinct_values", "change_log",
)  # fmt: skip
READS_ROWS = re.compile(rf"\b(?:FROM|JOIN|UPDATE)\s+(?:{'|'.join(GROWS_WITH_THE_LIST)})\b")
OF_THE_FIRST_RELEASE = {"0004_mentions", "0011_value_sets", "0020_domain_sets"}  # one transaction each


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


def test_each_subscriber_is_looked_at_once_however_many_domains_there_are(settings):
    database.open(settings.database, allow_faulty=True)
    with database.session():
        runner = Runner(database.database.obj, str(sqlite.MIGRATIONS))
        runner.up("0019_tag_renames")
        [module] = [each.load() for each in runner.migrations() if each.name == "0020_domain_sets"]
        plan = [line for *_, line in database.rows(f"EXPLAIN QUERY PLAN {module.HOLDERS}")]
    database.close()
    assert plan[0].startswith("SCAN s")
    assert "(site_id=? AND field_id=? AND folded=?" in plan[1]


def test_a_migration_that_reads_everybody_does_so_in_batches():
    for file in (*sqlite.MIGRATIONS.glob("0*.py"), *postgresql.MIGRATIONS.glob("0*.py")):
        text = file.read_text("utf-8")
        if READS_ROWS.search(text) and file.stem not in OF_THE_FIRST_RELEASE:
            assert "\ndef batch(db: Any) -> bool:" in text, file
