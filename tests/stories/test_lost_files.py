"""A story: an instance whose pepper, database or log of erasures is lost or another's refuses to start."""

import contextlib
import io
import json
import os
import secrets
import shutil
import subprocess
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace

import pytest

import app
from audience import config, keys
from audience.operations import instance_files
from audience.operations.opening import open_process
from storage import database
from tests.service import attended, command, environment, free_port, give_places, serving
from tests.stories.test_starts import ROOT, applied, run_sql
from tests.stories.test_starts import type_ as type_in_a_process

LOSS = "no key works and no erasure is recognised"
MISSING = f"the pepper is missing, without which {LOSS}: put {{folder}}/pepper back from any backup"
OTHER = f"the pepper is not this database's, so that {LOSS}: put {{folder}}/pepper back from any backup"
NO_DATABASE = (
    "the database is missing, and with it every site, subscriber and key: put {folder}/audience.db back"
)
OTHER_LOG = (
    "the log of erasures is another instance's, so that no restore repeats this one's: "
    "put {folder}/erasures.log back"
)
EVERY_COMMAND = (("serve",), ("web",), ("worker",), ("migrate",), ("site", "list"), ("backup", "b.tar"))


def type_(folder, *words):
    """Runs a command as `audience` does, in this process unless it starts others; its exit and output."""
    if words[0] == "serve":
        return type_in_a_process(folder, *words)
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "environ", environment(folder, free_port()))
        patch.setattr(config, "load", partial(config.load, os.environ))
        patch.setattr("sys.argv", ["audience", *words])
        umask = os.umask(0o077)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                app.main()
        except SystemExit as end:
            out.seek(0)
            return SimpleNamespace(returncode=end.code, stdout=out.read(), stderr=err.getvalue())
        finally:
            os.umask(umask)
            database.close()


def made(folder):
    """An instance with a site, a key, a subscriber and one who was erased; the keys as JSON."""
    created = type_(folder, "site", "create", "News", "--json")
    assert created.returncode == 0, created.stderr
    first = json.loads(created.stdout)
    (folder / "first-site.json").write_text(created.stdout)
    for email in ("ann@example.com", "bob@example.com"):
        (folder / "people.csv").write_text(f"email\n{email}\n")
        assert (
            type_(folder, "import", str(folder / "people.csv"), "--site", first["site_uuid"]).returncode == 0
        )
    erased = type_(folder, "subscriber", "erase", "bob@example.com", "--site", first["site_uuid"], "--yes")
    assert erased.returncode == 0, erased.stderr
    return first


@pytest.fixture(scope="module")
def pattern(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pattern") / "instance"
    made(folder)
    backup = type_(folder, "backup", str(folder.parent / "backup.tar"))
    assert backup.returncode == 0, backup.stderr
    return folder


@pytest.fixture
def instance(pattern, tmp_path):
    """A copy of an instance in use, without a running service; its backup is `backup.tar` beside it."""
    shutil.copytree(pattern, tmp_path / "instance")
    shutil.copy(pattern.parent / "backup.tar", tmp_path)
    return tmp_path / "instance"


def delete_pepper(folder):
    (folder / "pepper").unlink()


def replace_pepper(folder):
    (folder / "pepper").write_bytes(secrets.token_bytes(32))


def shorten_pepper(folder):
    (folder / "pepper").write_bytes(b"salt")


def delete_database(folder):
    (folder / "audience.db").unlink()


def empty_database(folder):
    (folder / "audience.db").write_bytes(b"")


def replace_log(folder):
    line = {"site_uuid": "3c7f5f0e-0000-4000-8000-000000000000", "address_hash": "0" * 64, "at": 1}
    (folder / "erasures.log").write_text(json.dumps(line | {"pepper_check": "1" * 64}) + "\n")


SPOILT = [
    (delete_pepper, MISSING),
    (replace_pepper, OTHER),
    (shorten_pepper, OTHER),
    (delete_database, NO_DATABASE),
    (empty_database, NO_DATABASE),
    (replace_log, OTHER_LOG),
]


def contents(folder):
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.is_file() and path.name in ("pepper", "audience.db", "first-site.json", "erasures.log")
    }


def sentence(text, folder):
    return f"audience: {text.format(folder=folder)}"


@pytest.mark.parametrize(("spoil", "text"), SPOILT)
@pytest.mark.parametrize("words", EVERY_COMMAND, ids=" ".join)
def test_every_command_refuses_in_one_sentence_and_changes_nothing(instance, spoil, text, words):
    spoil(instance)
    before = contents(instance)
    run = type_(instance, *words)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith(sentence(text, instance)), run.stderr
    assert run.stderr.count("\n") == 1
    assert contents(instance) == before


@pytest.mark.parametrize(("spoil", "text"), SPOILT)
def test_the_doctor_says_the_same(instance, spoil, text):
    spoil(instance)
    run = type_(instance, "doctor", "--offline", "--json")
    assert run.returncode == 1
    bad = [each for each in json.loads(run.stdout)["findings"] if each["state"] == "bad"]
    found = [f"audience: {each['found']}: {each['advice'][0].lower()}{each['advice'][1:]}" for each in bad]
    assert any(each.startswith(sentence(text, instance)) for each in found), bad


@pytest.mark.parametrize(("spoil", "text"), SPOILT)
def test_a_restore_of_its_backup_mends_it(instance, spoil, text):
    spoil(instance)
    restored = type_(instance, "restore", str(instance.parent / "backup.tar"), "--yes")
    if spoil is replace_log:
        assert restored.returncode == 1
        assert "cannot be matched" in restored.stderr
        return
    assert restored.returncode == 0, restored.stderr
    exported = type_(instance, "export", "--site", site_of(instance))
    assert "ann@example.com" in exported.stdout
    again = instance / "people.csv"
    again.write_text("email\nbob@example.com\n")
    type_(instance, "import", str(again), "--site", site_of(instance))
    assert "bob@example.com" not in type_(instance, "export", "--site", site_of(instance)).stdout


def site_of(folder):
    return json.loads(type_(folder, "site", "list", "--json").stdout)[0]["site_uuid"]


def test_an_erasure_after_the_backup_is_repeated_though_the_pepper_was_replaced(instance):
    erase = type_(instance, "subscriber", "erase", "ann@example.com", "--site", site_of(instance), "--yes")
    assert erase.returncode == 0
    replace_pepper(instance)
    assert type_(instance, "restore", str(instance.parent / "backup.tar"), "--yes").returncode == 0
    assert "ann@example.com" not in type_(instance, "export", "--site", site_of(instance)).stdout


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """On an instance as a process leaves it that was killed before the first site was committed."""
    folder = tmp_path_factory.mktemp("service")
    assert type_(folder, "migrate").returncode == 0
    lost = {"publishable_key": "pk_lost", "secret_key": "sk_lost"}
    (folder / "first-site.json").write_text(json.dumps(lost))
    with serving(folder) as running:
        yield running


def test_a_first_sites_file_without_its_site_is_made_again(service):
    assert service.first["publishable_key"] != "pk_lost"
    assert service.call("GET", "/stats/site")[0] == 200


def test_readyz_says_the_same_while_the_service_runs(service):
    folder = service.instance
    kept = (folder / "pepper").read_bytes()
    assert readyz(service)["checks"]["files"] == "ok"
    delete_pepper(folder)
    assert readyz(service)["checks"]["files"].startswith("The pepper is missing, without which")
    replace_pepper(folder)
    assert readyz(service)["checks"]["files"].startswith("The pepper is not this database's")
    (folder / "pepper").write_bytes(kept)
    replace_log(folder)
    assert readyz(service)["checks"]["files"].startswith("The log of erasures is another instance's")
    (folder / "erasures.log").unlink()
    (folder / "audience.db").rename(folder / "elsewhere")
    body = readyz(service)
    assert body["checks"]["files"].startswith("The database is missing")
    assert str(folder) not in json.dumps(body)
    (folder / "elsewhere").rename(folder / "audience.db")


def readyz(service):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{service.port}/readyz", timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return json.load(error)


def older(folder):
    """As the version left it that had no check value."""
    run_sql(folder, "DROP TABLE pepper")
    run_sql(folder, "DELETE FROM schema_migration WHERE name = '0007_pepper_check'")


def test_an_older_instance_adopts_its_pepper_and_keeps_it(instance):
    older(instance)
    assert type_(instance, "migrate").returncode == 0
    (instance / "first-site.json").unlink()
    replace_pepper(instance)
    assert type_(instance, "site", "list").stderr.startswith(sentence(OTHER, instance))


@pytest.mark.parametrize(("spoil", "text"), [(delete_pepper, MISSING), (replace_pepper, OTHER)])
def test_an_older_instance_is_checked_before_a_migration_is_written(instance, spoil, text):
    older(instance)
    before = applied(instance)
    spoil(instance)
    for words in (("serve",), ("migrate",)):
        assert type_(instance, *words).stderr.startswith(sentence(text, instance))
    assert applied(instance) == before


def test_an_older_instance_whose_first_key_has_ended_adopts_the_pepper_that_is_there(instance):
    older(instance)
    run_sql(instance, "UPDATE keys SET revoked_at = 1")
    (instance / "erasures.log").unlink()
    replace_pepper(instance)
    assert type_(instance, "migrate").returncode == 0


@pytest.mark.parametrize("sign", ["erasures.log", "first-site.json", "audience.db-wal"])
def test_each_sign_of_use_betrays_a_missing_database(instance, sign):
    for name in {"erasures.log", "first-site.json", "audience.db-wal", "audience.db"} - {sign}:
        (instance / name).unlink(missing_ok=True)
    (instance / sign).touch()
    assert type_(instance, "site", "list").stderr.startswith(sentence(NO_DATABASE, instance))
    assert not (instance / "audience.db").exists()


def test_a_pepper_without_a_sign_of_use_is_a_new_instance(instance):
    for name in ("erasures.log", "first-site.json", "audience.db"):
        (instance / name).unlink()
    pepper = (instance / "pepper").read_bytes()
    assert type_(instance, "site", "create", "New").returncode == 0
    assert (instance / "pepper").read_bytes() == pepper


def test_a_log_of_erasures_alone_is_for_restoring(instance, tmp_path):
    folder = tmp_path / "new"
    folder.mkdir()
    shutil.copy(instance / "erasures.log", folder)
    refused = type_(folder, "serve")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith(sentence(OTHER_LOG, folder))
    assert "audience restore" in refused.stderr
    assert not (folder / "pepper").exists()
    assert type_(folder, "restore", str(tmp_path / "backup.tar"), "--yes").returncode == 0
    assert type_(folder, "site", "list").returncode == 0


def test_another_instances_log_does_not_pass_for_this_ones_when_restoring(instance, tmp_path):
    folder = tmp_path / "new"
    folder.mkdir()
    replace_log(folder)
    backup = str(tmp_path / "backup.tar")
    refused = type_(folder, "restore", backup, "--yes")
    assert refused.returncode == 1
    assert "cannot be matched" in refused.stderr
    assert type_(folder, "restore", backup, "--yes", "--ignore-erasures").returncode == 0
    assert type_(folder, "site", "list").returncode == 0
    assert len(list(folder.glob("erasures.log.*.old"))) == 1


@pytest.mark.parametrize("spoil", [delete_database, empty_database])
def test_serve_new_says_that_a_fresh_start_is_meant(instance, spoil):
    spoil(instance)
    former = json.loads((instance / "first-site.json").read_text())
    with started_anew(instance) as service:
        assert service.process.poll() is None
        assert service.first["publishable_key"] != former["publishable_key"]
        assert service.call("GET", "/stats/site")[0] == 200
    assert len(json.loads(type_(instance, "site", "list", "--json").stdout)) == 1
    assert len(list(instance.glob("erasures.log.*.old"))) == 1


def test_serve_new_touches_no_instance_that_has_a_database(instance):
    before = contents(instance)
    run = type_(instance, "serve", "--new")
    assert (run.returncode, run.stdout) == (1, "")
    assert "leave --new out" in run.stderr
    assert contents(instance) == before


@contextlib.contextmanager
def started_anew(folder):
    port = free_port()
    give_places(folder)
    process = subprocess.Popen(
        command("serve", "--new"),
        env=environment(folder, port),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    with attended(process, folder, port) as service:
        yield service


def test_killed_after_the_pepper_was_made_it_starts_the_next_time(tmp_path):
    """At each file that a first start leaves."""
    for number, left in enumerate((("pepper",), ("pepper", "audience.db"))):
        folder = tmp_path / str(number)
        assert type_(folder, "migrate").returncode == 0
        for path in folder.iterdir():
            if path.name not in left:
                path.unlink()
        pepper = (folder / "pepper").read_bytes()
        assert type_(folder, "site", "create", "News").returncode == 0
        assert (folder / "pepper").read_bytes() == pepper


def test_commands_that_start_at_once_on_a_new_folder_share_one_pepper(tmp_path):
    with ThreadPoolExecutor(4) as pool:
        runs = list(
            pool.map(
                lambda name: type_in_a_process(tmp_path / "new", "site", "create", name, "--json"), "abcd"
            )
        )
    assert [run.returncode for run in runs] == [0] * 4, [run.stderr for run in runs]
    open_process(config.Settings(instance=tmp_path / "new"))
    for made in map(json.loads, (run.stdout for run in runs)):
        key = keys.authenticate(made["publishable_key"], made["secret_key"])
        assert key is not None
        assert keys.require_site(key, made["site_uuid"]).uuid == made["site_uuid"]
    database.close()


def test_an_instance_that_another_command_makes_meanwhile_is_not_a_lost_one(pattern, tmp_path, monkeypatch):
    has_file = instance_files._has_file

    def made_meanwhile(settings):
        """Answers what it found before another command made all of the instance."""
        found = has_file(settings)
        if not found:
            monkeypatch.undo()
            shutil.copytree(pattern, tmp_path, dirs_exist_ok=True)
        return found

    monkeypatch.setattr(instance_files, "_has_file", made_meanwhile)
    assert type_(tmp_path, "migrate").returncode == 0


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to another user")
@pytest.mark.parametrize("words", [("serve",), ("site", "list"), ("doctor", "--offline")], ids=" ".join)
def test_settings_of_another_user_are_refused_with_whose_folder_it_is(instance, words):
    (instance / "config.toml").write_text("")
    for path in (instance, instance / "config.toml"):
        os.chown(path, 1, 1)
    run = type_(instance, *words)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == (
        f"audience: {instance}/config.toml is another user's: {instance} is the folder of the user daemon, "
        "so run this command as daemon, or give the file to the user that runs Audience\n"
    )
