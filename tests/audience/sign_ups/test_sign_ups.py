"""A sign-up is a row of its own: accepting it reads nothing of the list, and changes nothing there."""

import json

import pytest

from audience.changes import pages as change_log_pages
from audience.erasures import erasures
from audience.sign_ups import mailboxes
from audience.subscribers import stats, subscribers
from storage import database
from storage.jobs import exists
from storage.sign_ups import sign_ups as stored
from tests.audience.undo.test_undos import put, run
from tests.rows import each_row
from tests.sign_up_steps import ZOE, ask, counted, make_form, row

LIST = ("subscribers", "subscriber_tags", "suppressions", "consent_changes", "change_log", "bounces")


@pytest.fixture
def form(site):
    return make_form(site, tags=("weekly",))


@pytest.fixture
def sent(app, monkeypatch):
    """The statements that are sent, but for those that prepare a connection."""
    pool, statements = type(database.database.obj), []
    run, run_many = pool.execute_sql, pool.execute_many

    def execute_sql(opened, sql, *args, **options):
        statements.extend([] if sql.startswith("PRAGMA") else [sql])
        return run(opened, sql, *args, **options)

    def execute_many(opened, sql, *args):
        statements.append(sql)
        return run_many(opened, sql, *args)

    monkeypatch.setattr(pool, "execute_sql", execute_sql)
    monkeypatch.setattr(pool, "execute_many", execute_many)
    return statements


def test_a_sign_up_waits_outside_the_list(site, form):
    before = stats.for_site(site), change_log_pages.newest_number(site)
    sign_up = ask(site, form, first_name="Zoë", origin="https://static.example", network="192.0.2.0/24")
    assert (sign_up.status, sign_up.tags, sign_up.tries) == ("waiting", '["weekly"]', 0)
    assert row(site, sign_up) == sign_up
    assert subscribers.find(site, ZOE) is None
    assert (stats.for_site(site), change_log_pages.newest_number(site)) == before
    assert counted(site) == {"asked": 1}
    with database.session():
        assert exists(site.id, stored.JOB, sign_up.id)


def test_one_that_is_held_waits_for_an_operator(site, form):
    sign_up = ask(site, form, is_held=True, reason="trapped")
    assert (sign_up.status, sign_up.reason) == ("held", "trapped")
    assert counted(site) == {"asked": 1, "held": 1}
    with database.session():
        assert not exists(site.id, stored.JOB, sign_up.id)


def test_accepting_reads_nothing_of_the_list_and_does_the_same_for_all(site, form, folder, sent):
    """Of nobody, a subscriber, one who has left, one who was erased, and one whose address moved on."""
    put(site, *({"email": f"{name}@example.com"} for name in ("in", "left", "erased", "moved")))
    for command in ("unsubscribe left", "unsubscribe moved", "change_email moved new@example.com"):
        name, who, *more = command.split()
        run(site, command=name, email=f"{who}@example.com", **({"query": more[0]} if more else {}))
    erasures.erase(site, folder, "erased@example.com")
    ask(site, form, "warm@example.com")
    asked = []
    for name in ("nobody", "in", "left", "erased", "moved"):
        del sent[:]
        ask(site, form, f"{name}@example.com")
        asked.append(list(sent))
    assert len(asked[0]) > 3
    assert all(one == asked[0] for one in asked)
    assert [sql for sql in asked[0] if any(f" {table} " in f"{sql} " for table in LIST)] == []


@each_row(
    ("email", "mailbox"),
    [
        ("zoe@example.com", "zoe@example.com"),
        ("zoe+news@example.com", "zoe@example.com"),
        ("z.o.e+a+b@gmail.com", "zoe@gmail.com"),
        ("z.o.e@googlemail.com", "zoe@gmail.com"),
        ("z.o.e@example.com", "z.o.e@example.com"),
        ("+news@example.com", "+news@example.com"),
        ("straße@example.com", "strasse@example.com"),
        ("...@gmail.com", "...@gmail.com"),
    ],
)
def test_a_mailbox_is_the_same_however_its_address_is_spelt(email, mailbox):
    assert mailboxes.mailbox_of(email) == mailbox


@pytest.mark.parametrize(("first", "last"), [("", ""), ("Zoë", ""), ("", 'Fj"ord'), ("Zoë", "Fjord")])
def test_the_names_of_sign_ups_become_fields(site, first, last):
    migration = "0016_hand_over"
    kept = ask(site, make_form(site))
    with database.write():
        for table in ("webhooks", "forms", "consent_proofs", "sign_ups"):
            column = "sign_ups" if table == "webhooks" else "delivery"
            database.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        database.execute("ALTER TABLE sign_ups DROP COLUMN fields")
        for column in ("first_name", "last_name"):
            database.execute(f"ALTER TABLE sign_ups ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")
        values = (first, last, site.id)
        database.execute("UPDATE sign_ups SET first_name = ?, last_name = ? WHERE site_id = ?", values)
        database.execute("DELETE FROM schema_migration WHERE name = ?", (migration,))
    assert database.migrate() == [migration]
    names = {"first_name": first, "last_name": last}
    assert json.loads(row(site, kept).fields) == {key: name for key, name in names.items() if name}
    assert (row(site, kept).status, row(site, kept).delivery) == ("waiting", "smtp")
