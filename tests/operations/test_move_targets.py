"""What is no target of a move stays as it was."""

import contextlib
from dataclasses import replace

import pytest

from audience.operations.instance_files import LostFile
from audience.operations.opening import open_process
from storage import database
from storage.instance import moves
from storage.instance.state import ARRIVING, HERE, LEAVING, Phase
from tests.operations.moving import command

PLAIN = "CREATE TABLE orders (id integer)"
EARLIER = (  # the history of the last commit before the first migration
    "DELETE FROM schema_migration WHERE name <> '0001_first'",
    "UPDATE schema_migration SET name = '0036_compared_tags'",
)


def run(url, *statements):
    database.open(url)
    with database.session():
        for statement in statements:
            database.database.execute_sql(statement)
    database.close()


def tables(url):
    with moves.connected(url, None, 3, False) as end:
        return sorted(end._engine.tables(end._opened))


@pytest.fixture(params=["a server", "a file"])
def target(request, bare, tmp_path):
    return bare if request.param == "a server" else f"sqlite:///{tmp_path / 'target.db'}"


@pytest.mark.parametrize("also", [(), ("INSERT INTO orders VALUES (1)",)])
def test_tables_of_another_program_are_no_target(files, client, target, also):
    run(target, PLAIN, *also)
    assert "not empty" in str(command(files, "--to", target, status=1).exception)
    assert tables(target) == ["orders"]
    open_process(files)


def test_a_file_that_is_no_database_is_no_target(files, client, tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("email\nann@example.com\n" * 100)
    before = file.read_bytes()
    assert "not empty" in str(command(files, "--to", f"sqlite:{file}", status=1).exception)
    assert file.read_bytes() == before
    open_process(files)


def test_a_folder_is_no_target(files, client, tmp_path):
    assert "name an empty database, or a file" in str(
        command(files, "--to", f"sqlite:{tmp_path}", status=1).exception
    )
    open_process(files)


def test_who_has_moved_is_told_where_to(files, client, tmp_path):
    new, other = (f"sqlite:///{tmp_path / name}" for name in ("new.db", "other.db"))
    command(files, "--to", new)
    assert f"has moved to {new} already" in str(command(files, "--to", other, status=1).exception)


def test_a_move_that_an_upgrade_interrupts_is_taken_back(files, client, tmp_path):
    target = f"sqlite:{tmp_path / 'new.db'}"
    with moves.connected(files.database, None, 3, False) as end:
        end.set_phase(HERE, Phase("begun", LEAVING, f"sqlite:///{tmp_path / 'new.db'}", 1))
    run(files.database, *EARLIER)
    refused = str(command(files, "--to", target, status=1).exception)
    assert "undo it with `audience move --undo`" in refused
    command(files, "--undo")
    with moves.connected(files.database, None, 3, False) as end:
        assert end.phase() == HERE


def test_another_instance_is_not_migrated_before_it_is_refused(files, client, target):
    database.open(target)
    database.migrate()
    database.close()
    run(
        target,
        "DROP TABLE change_log",
        "CREATE TABLE orders (id integer)",
        "INSERT INTO orders VALUES (1)",
        *EARLIER,
    )
    before = tables(target)
    assert "not empty" in str(command(files, "--to", target, status=1).exception)
    assert tables(target) == before


def test_what_has_been_migrated_and_nothing_more_is_a_target(files, client, target):
    database.open(target)
    database.migrate()
    database.close()
    command(files, "--to", target)
    open_process(replace(files, database_url=target))


def test_an_instance_that_is_elsewhere_does_not_move(files, empty, client, tmp_path):
    command(files, "--to", empty)
    command(files, "--undo")
    on_server, file = replace(files, database_url=empty), tmp_path / "new.db"
    assert "has moved to another database" in str(
        command(on_server, "--to", f"sqlite:{file}", status=1).exception
    )
    with pytest.raises(LostFile):
        open_process(on_server)


@pytest.mark.parametrize(
    "url", ["postgresql://u:p[w@h/d", "postgresql://u:p]w@h/d", "postgresql://[u:pw@h/d"]
)
def test_a_url_that_cannot_be_read_is_a_wrong_call(files, url):
    result = command(files, "--to", url, status=2)
    assert "cannot be read: write it as postgresql://USER@HOST/DATABASE" in " ".join(result.output.split())
    assert url not in result.output


def test_a_process_that_opened_the_file_before_it_was_marked_stops_the_move(
    files, empty, client, monkeypatch
):
    set_phase = moves.MoveDatabase.set_phase
    with contextlib.ExitStack() as processes:

        def set_late(end, was, phase):
            if phase.name == LEAVING:
                writer = processes.enter_context(moves.connected(files.database, None, 3, False))
                assert not writer.phase().name
            return set_phase(end, was, phase)

        monkeypatch.setattr(moves.MoveDatabase, "set_phase", set_late)
        assert "another process uses" in str(command(files, "--to", empty, status=1).exception)
    monkeypatch.setattr(moves.MoveDatabase, "set_phase", set_phase)
    command(files, "--to", empty)
    open_process(replace(files, database_url=empty))


@pytest.mark.parametrize("mark", [HERE, Phase("another", LEAVING, "sqlite:///elsewhere.db", 1)])
def test_a_move_that_another_host_took_back_or_began_anew_does_not_end(
    files, empty, client, monkeypatch, mark
):
    add = moves.MoveDatabase.add

    def marked_meanwhile(end, table, rows):
        monkeypatch.setattr(moves.MoveDatabase, "add", add)
        with moves.connected(files.database, None, 3, False) as source:
            assert source.set_phase(source.phase(), mark)
        add(end, table, rows)

    monkeypatch.setattr(moves.MoveDatabase, "add", marked_meanwhile)
    assert "Meanwhile, another host" in str(command(files, "--to", empty, status=1).exception)
    with (
        moves.connected(files.database, None, 3, False) as source,
        moves.connected(empty, None, 3, False) as target,
    ):
        assert (source.phase(), target.phase().name) == (mark, ARRIVING)
