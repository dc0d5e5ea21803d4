"""Backups of an instance on a PostgreSQL server: a dump by pg_dump of its version, and the pepper."""

import subprocess
import tarfile

import pytest

from audience.access.audit_log import COMMAND_LINE
from audience.config import Settings
from audience.operations import backups, kept_backups
from storage import database
from storage.engines import postgresql_dumps
from storage.errors import Unusable
from tests.cli.restored import reopen, run_on


@pytest.fixture
def on_server(server, tmp_path):
    """The settings of an instance on the server, with a site."""
    url = server.create()
    settings = Settings(instance=tmp_path / "instance", database_url=url)
    assert run_on(settings, "site", "create", "News").exit_code == 0
    yield settings
    database.close()
    server.drop(url)


def test_one_has_a_dump_that_is_restored_into_an_empty_database(on_server, server, tmp_path):
    file = tmp_path / "b.tar"
    made = run_on(on_server, "backup", str(file))
    assert made.exit_code == 0, made.output
    assert f"{file}: a dump" in made.stdout
    assert "a dump, complete" in run_on(on_server, "backup", "check", str(file)).stdout
    with tarfile.open(file) as tar:
        assert tar.getnames() == ["manifest.json", "pepper", "audience.dump"]
        tar.extractall(tmp_path, filter="data")
    url = server.create()
    subprocess.run(["pg_restore", "--no-owner", f"--dbname={url}", tmp_path / "audience.dump"], check=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "pepper").rename(tmp_path / "other" / "pepper")
    listed = run_on(Settings(instance=tmp_path / "other", database_url=url), "site", "list")
    assert "News" in listed.stdout
    database.close()
    server.drop(url)


def test_its_own_programs_restore_it(on_server, tmp_path):
    assert run_on(on_server, "backup", str(tmp_path / "b.tar")).exit_code == 0
    for words in (("restore", "--yes"), ("backup", "check", "--restore")):
        refused = run_on(on_server, *words, str(tmp_path / "b.tar"))
        assert "audience.dump into an empty database with pg_restore" in str(refused.exception)
    elsewhere = run_on(Settings(instance=tmp_path / "new"), "restore", "--yes", str(tmp_path / "b.tar"))
    assert "is of a PostgreSQL server, whose own programs restore it" in str(elsewhere.exception)


def test_without_the_programs_of_its_version_it_says_what_to_install(on_server, tmp_path, monkeypatch):
    monkeypatch.setattr(postgresql_dumps, "DEBIAN", str(tmp_path / "{}"))
    monkeypatch.setenv("PATH", str(tmp_path))
    reopen(on_server)
    with pytest.raises(Unusable, match=r"install it \(on Debian postgresql-client-[0-9]+\)"):
        backups.create(on_server, tmp_path / "b.tar", lambda *_: None)
    assert [each.name for each in tmp_path.iterdir()] == ["instance"]


FAILING = '#!/bin/sh\n[ "$1" = --version ] && exec /usr/bin/pg_dump --version; echo no >&2; exit 1'


def test_the_reason_of_a_dump_that_fails_is_told_and_leaves_nothing(on_server, tmp_path, monkeypatch):
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("pg_dump", "pg_restore"):
        (programs / name).write_text(FAILING)
        (programs / name).chmod(0o755)
    monkeypatch.setattr(postgresql_dumps, "DEBIAN", str(programs))
    reopen(on_server)
    with pytest.raises(Unusable, match="pg_dump failed: no"):
        kept_backups.make(on_server, COMMAND_LINE)
    assert list(on_server.backups.iterdir()) == []
