"""Moving an instance from a file to a server and back: everything arrives, and only one is in use."""

import contextlib
import datetime as dt
import json
import re
from dataclasses import replace

import psycopg
import pytest

from audience import clock
from audience.access import keys, operators, sites
from audience.access.audit_log import Actor
from audience.erasures import erasures
from audience.erasures import log as erasure_log
from audience.operations import site_lane
from audience.operations.instance_files import LostFile
from audience.operations.opening import open_database, open_process
from audience.webhooks import deliveries as webhook_deliveries
from audience.webhooks import webhooks
from storage import database
from storage.access import sites as stored_sites
from storage.engines import postgresql
from storage.erasures.log import LoggedErasureModel
from storage.errors import Unavailable
from storage.instance import moves
from storage.instance.state import LEAVING, LEFT, Phase
from storage.models import MODELS, InstanceStateModel
from tests import partitions
from tests.api.endpoints import ENDPOINTS
from tests.client import open_client
from tests.operations.moving import PEOPLE, command, opened
from tests.webhook_steps import WEBHOOK

COMMAND = Actor("command")
WAITING = [{"email": f"later{n}@example.com"} for n in range(30)]


def filled(settings):
    """Something in every table that an endpoint writes; a client of the site."""
    client = open_client(opened(settings).test_client())
    assert client.post("/batch/subscribers", {"subscribers": PEOPLE}).status_code == 200
    site_lane.drain(client.site.id, 30)
    for endpoint in ENDPOINTS:
        client.call(endpoint.method, endpoint.path, endpoint.body)
    site_lane.drain(client.site.id, 30)
    client.call("DELETE", "/fetch/subscribers", None, query={"email": "p7@firm0.example"})
    erasures.erase(client.site, settings.instance, email="p8@firm1.example")
    webhooks.create(client.site, WEBHOOK)
    webhook_deliveries.send_test(client.site, 2, private_addresses=False)
    operators.add("ann@example.com", True, {}, COMMAND)
    other = sites.create("Other")
    keys.create([other])
    client.post("/batch/subscribers", {"subscribers": WAITING})
    return client


def export(settings, client):
    """All of the site, as the API gives it."""
    there = replace(client, http=opened(settings).test_client())
    return there.get("/fetch/export", query={"format": "jsonl"}).text, there.counts()


def contents(settings):
    """The rows of all tables."""
    open_database(settings)
    with database.session():
        found = {
            model._meta.table_name: sorted(repr(plain(row)) for row in model.select().tuples())
            for model in MODELS
            if model not in (InstanceStateModel, LoggedErasureModel)
        }
    database.close()
    return found


def logged(settings):
    """The log of erasures."""
    open_database(settings)
    found = erasure_log.list_all(settings.instance)
    database.close()
    return found


def plain(row):
    """Booleans as SQLite has them, whole numbers without a point."""
    return [int(value) if isinstance(value, bool | float) and value == int(value) else value for value in row]


def test_there_and_back(files, bare, tmp_path):
    client = filled(files)
    told = export(files, client)  # which the audit log tells
    before = contents(files)
    answer = json.loads(command(files, "--to", bare, "--json").stdout)
    assert answer["setting"] == f"AUDIENCE_DATABASE_URL={bare}"
    on_server = replace(files, database_url=bare)
    assert contents(on_server) == before
    assert answer["rows"] == {name: len(rows) for name, rows in before.items()}
    assert export(on_server, client) == told
    there = contents(on_server)
    back = tmp_path / "back.db"
    command(on_server, "--to", f"sqlite:{back}")
    on_file = replace(files, database_url=f"sqlite:///{back}")
    assert contents(on_file) == there
    assert export(on_file, client) == told
    site_lane.drain(client.site.id, 30)
    with database.session():
        assert stored_sites.counters(client.site.id)[0] == told[1][0] + len(WAITING)


def test_the_log_of_erasures_moves_too(files, empty, client, tmp_path):
    erasures.erase(client.site, files.instance, email="p8@firm1.example")
    before = logged(files)
    command(files, "--to", empty)
    on_server = replace(files, database_url=empty)
    assert logged(on_server) == before
    opened(on_server)
    erasures.erase(client.site, files.instance, email="p9@firm2.example")
    after = logged(on_server)
    assert after[:-1] == before
    assert len(list(erasure_log.read(files.instance / erasure_log.LOG))) == len(before) == 1
    back = f"sqlite:///{tmp_path / 'back.db'}"
    command(on_server, "--to", back)
    assert logged(replace(files, database_url=back)) == after


def test_an_instance_that_moved_does_not_start(files, empty, client):
    command(files, "--to", empty)
    day = dt.datetime.fromtimestamp(clock.now_ms() / 1000, dt.UTC).date()
    said = f"the instance moved on {day} to another database: set AUDIENCE_DATABASE_URL={empty}, or undo"
    with pytest.raises(LostFile, match=re.escape(said)):
        open_process(files)
    assert "has moved to" in str(command(files, "--to", empty, status=1).exception)


def test_a_server_that_the_instance_left_takes_no_write(files, empty, client, tmp_path):
    command(files, "--to", empty)
    on_server = replace(files, database_url=empty)
    there = replace(client, http=opened(on_server).test_client())
    there.create("new@example.com")
    told = there.counts()
    with moves.connected(empty, None, 3, False) as host:
        host.set_phase(host.phase(), Phase("m", LEAVING, "elsewhere", 1))
    answer = there.post("/fetch/subscribers", {"subscriber": {"email": "late@example.com"}})
    assert answer.status_code == 503
    assert there.counts() == told
    with pytest.raises(LostFile, match="moving to another database"):
        open_process(on_server)


def test_a_move_that_stopped_goes_on(files, empty, client, monkeypatch):
    before, add = contents(files), moves.MoveDatabase.add
    added: list[str] = []

    def add_some(end, table, rows):
        if len(added) == 6:
            raise Unavailable("the server is gone")
        added.append(table.name)
        add(end, table, rows)

    monkeypatch.setattr(moves, "PAGE_ROWS", 7)
    monkeypatch.setattr(moves.MoveDatabase, "add", add_some)
    command(files, "--to", empty, status=1)
    with pytest.raises(LostFile, match="moving to another database"):
        open_process(files)
    with pytest.raises(LostFile, match="the instance of this database has been elsewhere"):
        open_process(replace(files, database_url=empty))
    monkeypatch.setattr(moves.MoveDatabase, "add", add)
    command(files, "--to", empty)
    assert contents(replace(files, database_url=empty)) == before


def test_out_of_spread_tables_each_statement_reads_one_site(files, empty, tmp_path, monkeypatch):
    partitions.partition(empty)
    client = filled(files)
    client.post("/batch/subscribers", {"subscribers": PEOPLE[:3]})
    command(files, "--to", empty)
    before, on_server = contents(files), replace(files, database_url=empty)
    monkeypatch.setattr(moves, "PAGE_ROWS", 7)
    stream, spread, end_after = postgresql.stream, list[str](), [40]

    @contextlib.contextmanager
    def stream_in_plan(opened_end, sql, parameters, rows):
        plans = opened_end.execute_sql(f"EXPLAIN (FORMAT JSON) {sql}", parameters).fetchone()[0]
        spread.extend(t for t, numbers in partitions.numbers_by_table(plans).items() if len(numbers) > 1)
        end_after[0] -= 1
        if not end_after[0]:
            raise Unavailable("the server is gone")
        with stream(opened_end, sql, parameters, rows) as read:
            yield read

    monkeypatch.setattr(postgresql, "stream", stream_in_plan)
    back = tmp_path / "back.db"
    command(on_server, "--to", f"sqlite:{back}", status=1)
    command(on_server, "--to", f"sqlite:{back}")
    assert spread == []
    assert end_after[0] < -80
    monkeypatch.undo()
    assert contents(replace(files, database_url=f"sqlite:///{back}")) == before


def test_a_row_of_no_site_keeps_an_instance_in_spread_tables(files, empty, client, tmp_path):
    partitions.partition(empty)
    command(files, "--to", empty)
    with psycopg.connect(empty) as connection:
        connection.execute("INSERT INTO former_links VALUES (99, 'u', 'a', 1, 1)")
    refused = command(replace(files, database_url=empty), "--to", f"sqlite:{tmp_path / 'b.db'}", status=1)
    assert "differs, so the instance stays" in str(refused.exception)


def test_ids_go_on_above_those_of_rows_that_are_gone(files, empty, client):
    with database.write():
        database.execute("DELETE FROM imports")
    command(files, "--to", empty)
    there = replace(client, http=opened(replace(files, database_url=empty)).test_client())
    accepted = there.post("/batch/subscribers", {"subscribers": WAITING})
    assert accepted.json["import_id"] == "2"


def test_a_move_is_taken_back(files, empty, client):
    command(files, "--to", empty)
    assert json.loads(command(files, "--undo", "--json").stdout) == {"undone": True}
    open_process(files)
    with pytest.raises(LostFile, match="elsewhere"):
        open_process(replace(files, database_url=empty))
    assert "nothing to undo" in str(command(files, "--undo", status=1).exception)


def test_a_move_that_was_taken_back_begins_anew_elsewhere(files, empty, client, tmp_path):
    command(files, "--to", empty)
    command(files, "--undo")
    assert "not empty" in str(command(files, "--to", empty, status=1).exception)
    open_process(files)
    command(files, "--to", f"sqlite:{tmp_path / 'new.db'}")
    command(files, "--undo")
    open_process(files)


def test_a_move_to_nowhere_is_not_taken_back(files, client):
    database.close()
    with moves.connected(files.database, None, 3, False) as end:
        end.set_phase(end.phase(), Phase("m", LEFT, "", 1))
    assert "does not name" in str(command(files, "--undo", status=1).exception)
    with pytest.raises(LostFile, match="moved on"):
        open_process(files)


def test_a_move_to_what_was_written_to_is_not_taken_back(files, empty, client):
    command(files, "--to", empty)
    there = replace(client, http=opened(replace(files, database_url=empty)).test_client())
    there.create("new@example.com")
    assert "has been written to" in str(command(files, "--undo", status=1).exception)
    open_process(replace(files, database_url=empty))


def test_a_host_that_still_runs_writes_nothing_while_a_move_is_taken_back(files, empty, client, monkeypatch):
    command(files, "--to", empty)
    on_server, sums, answers = replace(files, database_url=empty), moves.MoveDatabase.sums, []
    there = replace(client, http=opened(on_server).test_client())

    def sums_late(end, table, advance):
        found = sums(end, table, advance)
        if table.name == moves.tables()[-1].name:
            open_database(on_server)
            answers.append(there.post("/fetch/subscribers", {"subscriber": {"email": "late@example.com"}}))
            database.close()
        return found

    monkeypatch.setattr(moves.MoveDatabase, "sums", sums_late)
    command(files, "--undo")
    assert {answer.status_code for answer in answers} == {503}


def test_taking_back_that_was_interrupted_goes_on(files, empty, client, monkeypatch):
    command(files, "--to", empty)
    on_server, sums = replace(files, database_url=empty), moves.MoveDatabase.sums
    there = replace(client, http=opened(on_server).test_client())
    there.create("new@example.com")

    def sums_lost(end, table, advance):
        raise Unavailable("the server is gone")

    monkeypatch.setattr(moves.MoveDatabase, "sums", sums_lost)
    assert "is gone" in str(command(files, "--undo", status=1).exception)
    for settings in (files, on_server):
        with pytest.raises(LostFile):
            open_process(settings)
    monkeypatch.setattr(moves.MoveDatabase, "sums", sums)
    assert "has been written to" in str(command(files, "--undo", status=1).exception)
    open_process(on_server)


def test_a_row_that_changed_on_the_way_is_noticed(files, empty, client, monkeypatch):
    add = moves.MoveDatabase.add

    def add_changed(end, table, rows):
        place = table.columns.index("first_name") if table.name == "subscribers" else None
        add(end, table, rows if place is None else [[*row[:place], "X", *row[place + 1 :]] for row in rows])

    monkeypatch.setattr(moves.MoveDatabase, "add", add_changed)
    refused = str(command(files, "--to", empty, status=1).exception)
    assert "table subscribers differs" in refused
    assert "`audience move --undo`, and move into a new, empty database" in refused


def test_a_target_that_is_not_empty_is_refused(files, empty, client, tmp_path):
    database.open(empty)
    database.migrate()
    sites.create("Another's")
    assert "not empty" in str(command(files, "--to", empty, status=1).exception)
    open_process(files)


def test_a_password_on_the_command_line_is_refused(files, client):
    result = command(files, "--to", "postgresql://audience:secret@db.example/audience", status=1)
    assert "--password-file" in str(result.exception)


def test_the_file_of_the_password_is_among_the_settings_to_change(files, empty, client, tmp_path):
    file = tmp_path / "database-password"
    file.write_text("secret\n")
    file.chmod(0o600)
    lines = command(files, "--to", empty, "--password-file", str(file)).stdout.splitlines()
    assert lines[-2:] == [f"AUDIENCE_DATABASE_PASSWORD_FILE={file}", f"AUDIENCE_DATABASE_URL={empty}"]
    back = replace(files, database_url=empty, database_password_file=str(file))
    lines = command(back, "--to", f"sqlite:{tmp_path / 'back.db'}").stdout.splitlines()
    assert "PASSWORD" not in lines[-2]


def test_a_text_that_servers_do_not_store_is_named(files, empty, client):
    with database.write():
        database.execute("UPDATE segments SET name = 'a' || char(0)")
        database.execute("UPDATE tags SET name = 'a' || char(0)")
    assert "the table tags has a text" in str(command(files, "--to", empty, status=1).exception)
    command(files, "--undo")
    open_process(files)
