"""Before a migration that is not additive there is a backup."""

import contextlib
import shutil
import tarfile
from collections import namedtuple

import apsw
import pytest

from app import open_instance
from audience.config import Settings
from storage import database
from storage.engines import chosen
from storage.errors import Unusable
from tests.cli.restored import run_on

LATER = 'def up(_migrator, db):\n    db.execute_sql("CREATE TABLE later (id integer PRIMARY KEY)")\n'
Usage = namedtuple("Usage", "total used free")


@pytest.fixture(params=["", "ADDITIVE = True\n"], ids=["spoils", "additive"])
def pending(request, tmp_path_factory, monkeypatch):
    """Gives an instance a pending migration, and says whether it spoils the database for older code."""

    def pend(settings):
        module, folder = chosen.engine_of(settings.database), tmp_path_factory.mktemp("migrations")
        for file in module.MIGRATIONS.glob("0*.py"):
            shutil.copy(file, folder)
        (folder / "9999_later.py").write_text(request.param + LATER)
        monkeypatch.setattr(module, "MIGRATIONS", folder)
        database.close()
        return not request.param

    return pend


def test_a_file_is_backed_up_first(files, client, pending):
    spoils = pending(files)
    open_instance(files)
    database.close()
    made = [*files.instance.glob("before-upgrade*")]
    assert len(made) == spoils
    for file in made:
        assert run_on(files, "restore", str(file), "--yes").exit_code == 0


def test_an_interrupted_upgrade_keeps_the_backup_of_before_it(files, client, pending):
    spoils = pending(files)
    wrong = chosen.engine_of(files.database).MIGRATIONS / "9999_wrong.py"
    wrong.write_text("def up(_migrator, db):\n    raise KeyboardInterrupt")
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            open_instance(files)
        database.close()
    wrong.write_text("ADDITIVE = True\n\n\ndef up(_migrator, db):\n    pass")
    open_instance(files)
    assert database.pending_migrations() == []
    database.close()
    [made] = files.instance.glob("before-upgrade*")
    if spoils:
        with tarfile.open(made) as archive:
            archive.extractall(files.instance / "looked-at", filter="data")
        [backup] = files.instance.glob("looked-at/**/audience.db")
        with contextlib.closing(apsw.Connection(str(backup))) as opened:
            assert opened.execute("SELECT 1 FROM sqlite_master WHERE name = 'later'").fetchone() is None


@pytest.mark.parametrize("left_behind", ["", "0001_before\n0002_before"])
def test_what_an_earlier_upgrade_left_behind_keeps_from_no_backup(files, client, pending, left_behind):
    (files.instance / "before-upgrade.pending").write_text(left_behind)
    spoils = pending(files)
    open_instance(files)
    database.close()
    assert [file.name for file in files.instance.glob("before-upgrade*")] == ["before-upgrade.tar"] * spoils


def test_without_room_the_start_is_refused(files, client, pending, monkeypatch):
    spoils = pending(files)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1, 1, 1_000))
    if not spoils:
        assert open_instance(files) is False
        return
    with pytest.raises(Unusable, match=r"needs .* MB .* 0 MB are free: make room"):
        open_instance(files)
    assert database.pending_migrations() == ["9999_later"]


def test_that_of_a_server_is_backed_up_by_whoever_says_so(empty, tmp_path, pending):
    settings = Settings(instance=tmp_path, database_url=empty)
    words = ["migrate"]
    if pending(settings):
        refused = run_on(settings, *words)
        assert "then run `audience migrate --backed-up`" in str(refused.exception)
        assert database.pending_migrations() == ["9999_later"]
        words.append("--backed-up")
    assert run_on(settings, *words).exit_code == 0
    assert database.pending_migrations() == []
