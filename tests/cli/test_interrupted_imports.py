"""`audience import` that is interrupted: it goes on where it was, and loses and repeats nothing."""

import fcntl
import json
import os
import signal
import subprocess
from typing import Any

import pytest

from audience.imports import file_imports, imports
from audience.operations import site_lane
from tests.cli.outcomes import counts
from tests.service import PATIENCE_SECONDS, environment, hear_ctrl_c, serving, until
from tests.service import command as command_line

ROWS = 5_000
CSV_TEXT = "email,n\n" + "".join(f"person{each}@example.com,{each}\nnobody{each},\n" for each in range(ROWS))

AGREED = ("--consent", "subscribed")


def test_an_import_with_other_options_is_another_import(import_file, client, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(site_lane, "drain", interrupt)
    import_file("email\nann@example.com\n", exit_code=1)
    import_file("email\nann@example.com\n", "--tag", "vip", exit_code=1)
    assert len(imports.newest(client.site)) == 2


def test_an_import_interrupted_while_reading_resumes(import_file, client, tmp_path, monkeypatch):
    kept: list[file_imports.Upload] = []

    class Interrupting(file_imports.Upload):
        def _store(self, good, refused):
            if len(kept) == 3:
                raise KeyboardInterrupt
            kept.append(self)
            super()._store(good, refused)

    with monkeypatch.context() as interrupted:
        interrupted.setattr(file_imports, "Upload", Interrupting)
        assert "run the same command again" in import_file(CSV_TEXT, exit_code=1)
    [waiting] = imports.newest(client.site)
    assert waiting.status == "receiving"
    assert 0 < waiting.rows < ROWS
    file_imports.sweep()
    outcome = import_file(CSV_TEXT)
    assert outcome["import_id"] == str(waiting.id)
    assert counts(outcome) == [ROWS, 0, 0, ROWS, 0]
    [refused] = tmp_path.glob("*.refused*")
    assert (refused.name, len(refused.read_text().splitlines())) == ("people.refused.csv", ROWS + 1)
    assert client.get("/batch/imports/1/errors.csv").text.count("\n") == ROWS + 1


def test_an_import_interrupted_while_waiting_keeps_waiting(import_file, client, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as interrupted:
        interrupted.setattr(site_lane, "drain", interrupt)
        said = import_file(CSV_TEXT, exit_code=1)
    assert "import 1 continues without this command" in said
    assert "`audience imports undo 1`" in said
    outcome = import_file(CSV_TEXT)
    assert (outcome["import_id"], counts(outcome)) == ("1", [ROWS, 0, 0, ROWS, 0])
    assert import_file(CSV_TEXT)["import_id"] == "2"


def test_two_commands_cannot_import_the_same_file_at_once(import_file, client, tmp_path):
    file = tmp_path / "people.csv"
    file.write_text(CSV_TEXT)
    with file.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "another command" in import_file(CSV_TEXT, exit_code=1)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_an_import_killed_beside_a_running_service_loses_and_repeats_nothing(service, tmp_path, number):
    rows = 12_000
    file = tmp_path / "people.csv"
    file.write_text("email\n" + "".join(f"s{each}@{number.name}.example.com\n" for each in range(rows)))
    before = service.call("GET", "/stats/site")[1]["user_count"]
    others = imports_of(service)
    line = command_line("import", str(file), "--site", service.first["site_uuid"], *AGREED, "--json")
    options: dict[str, Any] = {
        "env": environment(service.instance, service.port), "stdout": subprocess.PIPE
    }  # fmt: skip
    first = subprocess.Popen(line, preexec_fn=hear_ctrl_c, **options)
    until(lambda: has_begun(service, others) or first.poll() is not None)
    os.kill(first.pid, number)
    assert first.wait(PATIENCE_SECONDS) != 0
    assert first.stdout is not None
    first.stdout.close()
    done = subprocess.run(line, check=True, timeout=PATIENCE_SECONDS, **options)
    outcome = json.loads(done.stdout)
    assert {*imports_of(service)} - {*others} == {outcome["import_id"]}
    assert outcome["status"] == "finished"
    assert (outcome["created"], outcome["updated"] + outcome["unchanged"]) == (rows, 0)
    assert service.call("GET", "/stats/site")[1]["user_count"] == before + rows


def imports_of(service):
    """How many rows each import has so far, by its id."""
    listed = service.call("GET", "/batch/imports")[1]["data"]
    return {each["id"]: each["attributes"]["total"] for each in listed}


def has_begun(service, others):
    return any(total for id_, total in imports_of(service).items() if id_ not in others)
