"""Before a migration that is not additive there is a backup."""

import shutil
from collections import namedtuple

import pytest

from app import open_instance
from storage import database
from storage.engines import chosen
from storage.errors import Unusable
from tests.cli.restored import run_on

LATER = 'def up(_migrator, db):\n    db.execute_sql("CREATE TABLE later (id integer PRIMARY KEY)")\n'
Usage = namedtuple("Usage", "total used free")


@pytest.fixture(params=["", "ADDITIVE = True\n"], ids=["spoils", "additive"])
def spoils(request, client, settings, tmp_path_factory, monkeypatch):
    """Whether the migration that is pending spoils the database for older code."""
    module, folder = chosen.of(settings.database), tmp_path_factory.mktemp("migrations")
    for file in module.MIGRATIONS.glob("0*.py"):
        shutil.copy(file, folder)
    (folder / "9999_later.py").write_text(request.param + LATER)
    monkeypatch.setattr(module, "MIGRATIONS", folder)
    database.close()
    return not request.param


@pytest.mark.of_sqlite
def test_a_file_is_backed_up_first(settings, spoils):
    open_instance(settings)
    database.close()
    made = [*settings.instance.glob("before-upgrade-*.tar")]
    assert len(made) == spoils
    for file in made:
        assert run_on(settings, "restore", str(file), "--yes").exit_code == 0


@pytest.mark.of_sqlite
def test_without_room_the_start_is_refused(settings, spoils, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1, 1, 1_000))
    if not spoils:
        assert open_instance(settings) is False
        return
    with pytest.raises(Unusable, match=r"needs .* MB .* 0 MB are free: make room"):
        open_instance(settings)
    assert database.pending() == ["9999_later"]


def test_that_of_a_server_is_backed_up_by_whoever_says_so(settings, spoils):
    if settings.database.startswith("sqlite"):
        pytest.skip("a file")
    if spoils:
        refused = run_on(settings, "migrate")
        assert "run `audience migrate --backed-up`" in str(refused.exception)
        assert database.pending() == ["9999_later"]
    words = ("migrate", "--backed-up") if spoils else ("migrate",)
    assert run_on(settings, *words).exit_code == 0
    assert database.pending() == []
