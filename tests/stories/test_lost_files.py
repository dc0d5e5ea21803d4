"""A story: an instance whose pepper, database or log of erasures is lost or another's refuses to start."""

import json
import os
import urllib.error
import urllib.request

import pytest

from tests.service import PATIENCE_SECONDS, serving
from tests.stories.lost_files import (
    MISSING,
    NO_DATABASE,
    OTHER,
    OTHER_LOG,
    contents,
    delete_database,
    delete_pepper,
    empty_database,
    replace_log,
    replace_pepper,
    sentence,
    shorten_pepper,
    site_of,
    type_,
)

EVERY_COMMAND = (("serve",), ("web",), ("worker",), ("migrate",), ("site", "list"), ("backup", "b.tar"))


SPOILT = [
    (delete_pepper, MISSING),
    (replace_pepper, OTHER),
    (shorten_pepper, OTHER),
    (delete_database, NO_DATABASE),
    (empty_database, NO_DATABASE),
    (replace_log, OTHER_LOG),
]


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
    type_(instance, "import", str(again), "--site", site_of(instance), "--consent", "subscribed")
    assert "bob@example.com" not in type_(instance, "export", "--site", site_of(instance)).stdout


def test_an_erasure_after_the_backup_is_repeated_though_the_pepper_was_replaced(instance):
    erase = type_(instance, "subscriber", "erase", "ann@example.com", "--site", site_of(instance), "--yes")
    assert erase.returncode == 0
    replace_pepper(instance)
    assert type_(instance, "restore", str(instance.parent / "backup.tar"), "--yes").returncode == 0
    assert "ann@example.com" not in type_(instance, "export", "--site", site_of(instance)).stdout


@pytest.mark.parametrize("also", ["", "pepper"])
def test_a_command_that_does_not_know_of_a_server_asks_for_its_url(instance, also):
    """As in a folder whose service has its database on PostgreSQL, which its unit alone says."""
    for file in [*instance.glob("audience.db*"), instance / "erasures.log"]:
        file.unlink()
    if also:
        (instance / also).unlink()
    for words in (("site", "list"), ("doctor", "--offline")):
        run = type_(instance, *words)
        said = run.stdout + run.stderr
        assert run.returncode == 1
        assert f"AUDIENCE_DATABASE_URL, too, best as `database_url` in {instance}/config.toml" in said
        assert "--new" not in said


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
        with urllib.request.urlopen(
            f"http://127.0.0.1:{service.port}/readyz", timeout=PATIENCE_SECONDS
        ) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return json.load(error)


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
