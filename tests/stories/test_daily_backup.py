"""A service that backs itself up: the file, the command, the trial restore, and the probes (a story)."""

import json
import tarfile
import urllib.request

from tests.service import serving, until


def get(service, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{service.port}{path}") as response:
        return response.read()


def test_a_service_makes_its_first_backup_at_once_and_restores_it_in_a_trial(tmp_path):
    instance, folder = tmp_path / "instance", tmp_path / "kept"
    folder.mkdir()
    settings = {
        "AUDIENCE_BACKUP_AT": "00:00",
        "AUDIENCE_BACKUP_FOLDER": str(folder),
        "AUDIENCE_BACKUP_COMMAND": f'basename "$BACKUP_FILE" > {tmp_path}/name',
    }
    outcome = instance / "backups" / "daily.json"
    with serving(instance, None, **settings) as service:
        until(outcome.exists)
        known = json.loads(outcome.read_text())
        assert (known["problem"], known["command"], known["trial"]) == ("", "", "")
        assert known["tried_at"] > 0
        assert [
            each for each in json.loads(get(service, "/readyz")).get("warnings", []) if "backup" in each
        ] == []
        assert b"audience_backup_age_seconds" in get(service, "/metrics")
    [file] = folder.glob("*.tar")
    assert (tmp_path / "name").read_text().strip() == file.name
    with tarfile.open(file) as tar:
        assert "audience.db" in tar.getnames()
    assert (folder / "erasures.log").read_bytes() == (instance / "erasures.log").read_bytes()
    assert list(instance.glob(".audience-*")) == []
