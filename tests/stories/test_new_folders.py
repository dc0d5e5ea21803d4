"""A story: a folder without an instance becomes one, and one whose files are lost is no new folder."""

import contextlib
import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from audience import config
from audience.access import keys
from audience.operations import instance_files
from audience.operations.opening import open_process
from storage import database
from tests.service import attended, command, environment, free_port, give_places
from tests.stories.lost_files import (
    NEITHER,
    NO_DATABASE,
    NO_INSTANCE,
    contents,
    delete_database,
    empty_database,
    replace_log,
    sentence,
    type_,
)
from tests.stories.test_starts import ROOT
from tests.stories.test_starts import type_ as type_in_a_process


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


@pytest.mark.parametrize("words", [
    ("site", "list"), ("imports", "list"), ("backup", "b.tar"), ("import", __file__), ("key", "create"),
    ("console",), ("subscriber", "list"), ("erasures", "export", "e.jsonl"), ("web",), ("worker",),
    ("move", "--undo"),
], ids=" ".join)  # fmt: skip
def test_a_command_in_a_wrong_folder_makes_no_instance(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    run = type_(tmp_path / "wrong", *words)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith(sentence(NO_INSTANCE, tmp_path / "wrong"))
    assert "AUDIENCE_INSTANCE" in run.stderr
    assert "`audience serve`" in run.stderr
    assert run.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [("migrate",), ("site", "create", "New"), ("demo", "--people", "1")])
def test_a_command_that_begins_an_instance_makes_one_and_says_so_once(tmp_path, words):
    begun, again = (type_(tmp_path / "new", *words) for _ in range(2))
    assert (begun.returncode, again.returncode) == (0, 0)
    made = f"Made a new instance in {tmp_path}/new: start it with `audience serve`."
    assert begun.stderr.startswith(made)
    assert "AUDIENCE_INSTANCE" in begun.stderr
    assert "Made a new instance" not in begun.stdout + again.stderr + again.stdout
    assert type_(tmp_path / "new", "site", "list").returncode == 0


def test_a_log_of_erasures_alone_is_for_restoring(instance, tmp_path):
    folder = tmp_path / "new"
    folder.mkdir()
    shutil.copy(instance / "erasures.log", folder)
    refused = type_(folder, "serve")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith(sentence(NEITHER, folder))
    assert "audience restore" in refused.stderr
    assert not (folder / "pepper").exists()
    assert type_(folder, "restore", str(tmp_path / "backup.tar"), "--yes").returncode == 0
    assert type_(folder, "site", "list").returncode == 0


def test_the_keys_of_a_first_site_alone_are_no_new_instance(instance, tmp_path):
    folder = tmp_path / "new"
    folder.mkdir()
    shutil.copy(instance / "first-site.json", folder)
    for words in (("serve",), ("site", "list"), ("doctor", "--offline")):
        refused = type_(folder, *words)
        assert refused.returncode == 1
        assert (
            "pepper and database are missing, and the keys of a first site" in refused.stderr + refused.stdout
        )
    assert not {"pepper", "audience.db"} & {each.name for each in folder.iterdir()}
    assert type_(folder, "restore", str(tmp_path / "backup.tar"), "--yes").returncode == 0
    assert type_(folder, "site", "list").returncode == 0


def test_the_keys_of_a_lost_instance_are_kept_beside_the_new_ones(instance):
    former = (instance / "first-site.json").read_bytes()
    for name in ("pepper", "audience.db", "erasures.log"):
        (instance / name).unlink()
    with started_anew(instance) as service:
        assert service.first["publishable_key"] not in former.decode()
    [kept] = instance.glob("first-site.json.*.old")
    assert kept.read_bytes() == former


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


def test_serve_new_says_that_a_fresh_start_is_meant(instance):
    delete_database(instance)
    former = json.loads((instance / "first-site.json").read_text())
    with started_anew(instance) as service:
        assert service.process.poll() is None
        assert service.first["publishable_key"] != former["publishable_key"]
        assert service.call("GET", "/stats/site")[0] == 200
    is_new(instance)


def test_an_empty_database_is_prepared_anew_as_a_deleted_one(instance):
    empty_database(instance)
    prepare = [sys.executable, "-P", "-c", "import app; app.prepare_alone(True, False)"]
    subprocess.run(prepare, env=environment(instance, free_port()), cwd=ROOT, check=True, capture_output=True)
    is_new(instance)


def is_new(folder):
    assert len(json.loads(type_(folder, "site", "list", "--json").stdout)) == 1
    assert len(list(folder.glob("erasures.log.*.old"))) == 1


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
