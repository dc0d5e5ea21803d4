"""A story: refused starts, and starts beside a running service, which change nothing."""

import contextlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from storage import database
from tests.service import PATIENCE_SECONDS, command, environment, free_port, serving

ROOT = Path(__file__).parent.parent.parent
UNAPPLY = "DELETE FROM schema_migration WHERE id = (SELECT MAX(id) FROM schema_migration)"
NEWER = "INSERT INTO schema_migration (name, applied) VALUES ('9999_newer', '2030-01-01')"


def type_(instance, *words, port=0, **settings):
    return subprocess.run(
        command(*words),
        cwd=ROOT,
        env=environment(instance, port or free_port(), **settings),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )


def run_sql(instance, statement):
    database.open(f"sqlite:///{instance / 'audience.db'}")
    try:
        with database.write():
            database.execute(statement)
    finally:
        database.close()


def applied(instance):
    database.open(f"sqlite:///{instance / 'audience.db'}")
    try:
        with database.session():
            return [name for (name,) in database.rows("SELECT name FROM schema_migration ORDER BY id")]
    finally:
        database.close()


@pytest.fixture(scope="module")
def pattern(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pattern") / "instance"
    assert type_(folder, "migrate").returncode == 0
    return folder


@pytest.fixture
def instance(pattern, tmp_path):
    """A migrated instance without a running service."""
    return shutil.copytree(pattern, tmp_path / "instance")


def test_a_second_serve_and_a_newer_command_change_nothing(tmp_path):
    with serving(tmp_path) as service:
        before = service.call("GET", "/stats/site")
        run_sql(tmp_path, UNAPPLY)
        older = applied(tmp_path)
        run_sql(tmp_path, "UPDATE sites SET name = 'Kept'")
        metrics = sorted((tmp_path / "metrics").glob("*.json"))
        assert metrics
        second = type_(tmp_path, "serve")
        assert second.returncode == 1
        assert second.stderr == f"audience: another serve is running on {tmp_path}: stop it first\n"
        for words in (("site", "list"), ("migrate",)):
            refused = type_(tmp_path, *words)
            assert refused.returncode == 1
            assert refused.stderr.startswith("audience: migrations are pending, but another serve is running")
        assert applied(tmp_path) == older
        assert set(metrics) <= set((tmp_path / "metrics").iterdir())
        assert service.call("GET", "/stats/site") == before


@pytest.mark.parametrize("starter", ["web", "worker"])
@pytest.mark.parametrize(("statement", "sentence"), [
    (UNAPPLY, "audience: migrations are pending: run `audience migrate`\n"),
    (NEWER, "audience: the database is newer than this Audience (it has 9999_newer): upgrade Audience\n"),
])  # fmt: skip
def test_web_and_worker_start_only_on_a_database_of_their_version(instance, starter, statement, sentence):
    run_sql(instance, statement)
    run = type_(instance, starter)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", sentence)


def locked(folder, _):
    database.open(f"sqlite:///{folder / 'audience.db'}")
    return database.write()


def short_pepper(folder, _):
    (folder / "pepper").write_bytes(b"salt")


def no_folder(folder, tmp_path):
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "nowhere")


def test_a_server_that_lets_nobody_in_is_explained_in_one_sentence(tmp_path):
    url = f"postgresql://audience:secret@/audience?host={tmp_path}"
    run = type_(tmp_path / "instance", "serve", AUDIENCE_DATABASE_URL=url)
    assert (run.returncode, run.stdout) == (1, "")
    sentence = r"the database cannot be reached \(PostgreSQL: connection.+\): .+correct its URL.+"
    assert re.fullmatch(f"audience: {sentence}\n", run.stderr)
    assert "secret" not in run.stderr


@pytest.mark.parametrize(("spoil", "words", "sentence"), [
    (locked, ("site", "create", "News"), r"the database is unavailable or busy \(others are writing\): .+"),
    (short_pepper, ("site", "list"), r"\S+/pepper must have 32 bytes: restore it, .+"),
    (short_pepper, ("serve",), r"\S+/pepper must have 32 bytes: restore it, .+"),
    (no_folder, ("site", "list"), r"there is no instance in \S+/instance: .+"),
    (no_folder, ("serve",), r"\S+/instance\S*: .+"),
])  # fmt: skip
def test_a_refused_start_is_explained_in_one_sentence(instance, tmp_path, spoil, words, sentence):
    with spoil(instance, tmp_path) or contextlib.nullcontext():
        run = type_(instance, *words, AUDIENCE_DATABASE_TIMEOUT="0.1")
    database.close()
    assert (run.returncode, run.stdout) == (1, "")
    assert re.fullmatch(f"audience: {sentence}\n", run.stderr)
