"""Every index of the tables that grow with a site is used by the query that it is kept for."""

import pytest

from audience.segments import segments
from storage import database, jobs
from storage.changes import consent_changes
from storage.erasures import suppressions
from storage.imports import file_imports, imports
from storage.reports import queries as report_queries
from storage.searches import lists as subscriber_lists
from storage.searches import searches
from storage.searches.searches import Filters
from storage.segments.nodes import Condition, Events, Instant
from storage.segments.rules import Finder
from storage.sql import Sql
from storage.subscribers import custom_fields, events, subscribers, tags
from tests.storage.test_queries import plan

GROWING = (
    "subscribers", "subscriber_tags", "distinct_values", "consent_changes", "events", "imports",
    "import_batches", "refused_rows", "suppressions", "tags", "custom_fields",
)  # fmt: skip
ALL = Sql("TRUE")
IS_PRO = Condition("field", "is", "pro", "plan")
LATE = 2**60
NEWEST = "subscribers_site_id_created_at_id_updated_at_last_event__6af9bfd"
NEEDED_BY = {
    "subscribers_site_id_email_key": lambda site: subscribers.get_by_key(site, "p1@example.com"),
    "subscribers_site_id_uuid": lambda site: searches.page(site, "", 10),
    NEWEST: lambda site: searches.search(site, Filters(), 101, 0),
    f"COVERING INDEX {NEWEST}": lambda site: searches.search(site, Filters(after={"updated_at": 1}), 101, 0),
    "subscribers_site_id_last_event_at": (
        lambda site: searches.search(site, Filters(after={"last_event_at": LATE}), 101, 0)
    ),
    "subscribers_site_id_unsubscribed_at": (
        lambda site: subscriber_lists.page(site, ALL, "unsubscribed_at", True, 10, 0)
    ),
    "subscribers_site_id_first_name": lambda site: segments.beginning(site, "ann"),
    "subscribers_site_id_last_name": lambda site: segments.beginning(site, "ann lee"),
    "PRIMARY KEY (site_id=? AND tag_id=?": lambda site: tags.subscribers_with_tag(site, 1, 10),
    "distinct_values_site_id_field_id_folded_label_kind": lambda site: Finder(site).members(IS_PRO),
    "PRIMARY KEY (site_id=? AND value_id=?": lambda site: Finder(site).members(IS_PRO),
    "consent_changes_subscriber_id": lambda site: consent_changes.for_subscriber(site, 1),
    "consent_changes_unsubscribed": (
        lambda site: report_queries.unsubscribes(site, report_queries.MATCH_ALL, (0, 1))
    ),
    "events_subscriber_id_occurred_at_id": lambda site: events.page(site, 1, 10, 0),
    "COVERING INDEX events_site_id_type_occurred_at_subscriber_id": (
        lambda site: Finder(site).members(Events("visit", 2, Instant(1)))
    ),
    "events_site_id_type_occurred_at_subscriber_id": (
        lambda site: report_queries.events_in(site, ["visit"], report_queries.MATCH_ALL, [(0, 1)])
    ),
    "events_site_id_type_unique_key": lambda site: events.stored_unique_keys(site, {("visit", "1")}),
    "events_site_id_id": lambda site: events.newest(site, 10),
    "imports_site_id_id": lambda site: imports.newest(site, 10),
    "imports_site_id_created_at": lambda site: report_queries.imported_in(site, [(0, 1)]),
    "imports_receiving": lambda _: file_imports.list_abandoned(1),
    "import_batches_site_id_import_id_first_row": lambda site: imports.batch(site, 1, 0),
    "import_batches_import_id": lambda site: file_imports.discard(site, 1),
    "refused_rows_import_id": lambda site: file_imports.refused_by_code(site, 1),
    "refused_rows_site_id_address_hash": lambda site: file_imports.erase_refused(site, [""]),
    "refused_rows_refused_at": lambda _: file_imports.site_with_refused(1),
    "suppressions_site_id_address_hash": lambda site: suppressions.find_by_hash(site, ["a"]),
    "tags_site_id_name_key": lambda site: tags.ids(site, ["vip"]),
    "tags_site_id_id": lambda site: tags.list_all(site, 10, LATE),
    "custom_fields_site_id_id": lambda site: custom_fields.list_all(site, 10, LATE),
    "custom_fields_site_id_key": lambda site: custom_fields.ids(site, ["plan"]),
}


@pytest.mark.parametrize("index", NEEDED_BY)
def test_an_index_is_used_by_the_query_that_needs_it(client, statements, index):
    client.post("/batch/subscribers", {"subscribers": [{"email": f"p{n}@example.com"} for n in range(3)]})
    del statements[:]
    with database.write():
        NEEDED_BY[index](client.site.id)
    run = [each for each in statements if each.startswith(("SELECT", "WITH", "DELETE"))]
    steps = [step for each in run for step in plan(each)]
    wanted = index if "KEY (" in index else f"{index} ("
    assert any(wanted in step for step in steps), steps


@pytest.mark.parametrize(("index", "run"), [
    ("jobs_in_order", jobs.first_in_order),
    ("jobs_site_id_kind_subject", lambda site: jobs.due_kinds(site, 1)),
    ("imports_waiting", lambda _: imports.waiting(None)),
])  # fmt: skip
def test_what_waits_is_found_by_its_index(client, statements, index, run):
    del statements[:]
    with database.session():
        run(client.site.id)
    [asked] = [each for each in statements if each.startswith("SELECT")]
    assert any(f"INDEX {index}" in step for step in plan(asked)), plan(asked)


def test_no_index_is_kept_without_a_query(client):
    with database.session():
        kept = {
            name
            for table in GROWING
            for _, name, _, origin, _ in database.rows(f"PRAGMA index_list({table})")
            if origin == "c"
        }
    assert kept - {"imports_waiting"} == {
        index.removeprefix("COVERING INDEX ") for index in NEEDED_BY if "KEY (" not in index
    }


def test_who_left_is_counted_by_an_index_of_their_own(client, statements):
    client.create("p1@example.com")
    del statements[:]
    with database.session():
        Finder(client.site.id).members(Condition("status", "is", "unsubscribed"))
    [counted] = [each for each in statements if each.startswith("SELECT")]
    assert any("COVERING INDEX subscribers_site_id_unsubscribed_at (" in step for step in plan(counted))
