"""Moves after moves: only one of all the databases is in use."""

import contextlib
from dataclasses import replace

import apsw
import pytest

from audience.operations.instance_files import LostFile
from audience.operations.opening import open_process
from storage.instance import moves
from storage.instance.state import ARRIVING, HERE, Phase
from tests.operations.moving import command


def test_only_the_last_move_is_taken_back(files, empty, client, tmp_path):
    command(files, "--to", empty)
    on_server, last = replace(files, database_url=empty), tmp_path / "last.db"
    command(on_server, "--to", f"sqlite:{last}")
    refused = str(command(files, "--undo", status=1).exception)
    assert "part of another move" in refused
    assert f"AUDIENCE_DATABASE_URL={empty}" in refused
    for settings in (files, on_server):
        with pytest.raises(LostFile, match="moved on"):
            open_process(settings)
    open_process(replace(files, database_url=f"sqlite:///{last}"))
    command(on_server, "--undo")
    command(files, "--undo")
    open_process(files)


def test_a_move_into_what_another_instance_moves_to_is_not_taken_back(files, empty, client):
    command(files, "--to", empty)
    arriving = Phase("another", ARRIVING, "", 1)
    with moves.connected(empty, None, 3, False) as end:
        end.set_phase(end.phase(), arriving)
        assert "part of another move" in str(command(files, "--undo", status=1).exception)
        assert end.phase() == arriving


def test_a_file_that_a_process_uses_is_not_taken_back(files, client, tmp_path):
    new = f"sqlite:///{tmp_path / 'new.db'}"
    command(files, "--to", new)
    with moves.connected(new, None, 3, False) as process:
        assert not process.phase().name
        assert "another process uses" in str(command(files, "--undo", status=1).exception)
        assert not process.phase().name
    command(files, "--undo")
    open_process(files)


def test_what_an_upgraded_service_has_used_is_not_taken_back_and_stays_in_use(files, client, tmp_path):
    new = f"sqlite:///{tmp_path / 'new.db'}"
    command(files, "--to", new)
    with contextlib.closing(apsw.Connection(str(tmp_path / "new.db"))) as upgraded:
        upgraded.execute("UPDATE schema_migration SET name = '9999_later' WHERE name LIKE '0001%'")
    assert "other migrations than this one (9999_later" in str(command(files, "--undo", status=1).exception)
    with moves.connected(new, None, 3, False) as end:
        assert end.phase() == HERE


@pytest.mark.parametrize("gone", ["deleted", "made anew"])
def test_a_new_database_that_is_gone_is_given_up_only_when_that_is_said(files, client, tmp_path, gone):
    new = tmp_path / "new.db"
    command(files, "--to", f"sqlite:{new}")
    assert "leave out --lost" in str(command(files, "--undo", "--lost", status=1).exception)
    new.unlink()
    if gone == "made anew":
        new.touch(0o600)
    assert "no longer has an instance" in str(command(files, "--undo", status=1).exception)
    assert new.exists() is (gone == "made anew")
    with pytest.raises(LostFile, match="moved on"):
        open_process(files)
    command(files, "--undo", "--lost")
    open_process(files)


def test_lost_is_said_of_what_is_taken_back(files, client):
    command(files, "--to", "sqlite:new.db", "--lost", status=2)
