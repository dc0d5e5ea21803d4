"""Moves after moves: only one of all the databases is in use."""

from dataclasses import replace

import pytest

from audience.operations.instance_files import LostFile
from audience.operations.opening import open_process
from storage import moves
from storage.instance_state import ARRIVING, Phase
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
    with moves.end(empty, None, 3, False) as end:
        end.set_phase(arriving)
        assert "part of another move" in str(command(files, "--undo", status=1).exception)
        assert end.phase() == arriving


def test_a_file_that_a_process_uses_is_not_taken_back(files, client, tmp_path):
    new = f"sqlite:///{tmp_path / 'new.db'}"
    command(files, "--to", new)
    with moves.end(new, None, 3, False) as process:
        assert not process.phase().name
        assert "another process uses" in str(command(files, "--undo", status=1).exception)
        assert not process.phase().name
    command(files, "--undo")
    open_process(files)
