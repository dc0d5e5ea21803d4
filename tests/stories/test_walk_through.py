"""A story: the first steps of an operator on a fresh machine, in order, with the service running."""

import csv
import json
import subprocess

from tests.service import PATIENCE_SECONDS, command, environment, serving
from tests.stories.test_first_run import ROOT


def audience(instance, *words, port=8000):
    """The output of a command; its exit code must be 0."""
    run = typed(instance, *words, port=port)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def typed(instance, *words, port=8000):
    return subprocess.run(
        command(*words, "--json"),
        cwd=ROOT,
        env=environment(instance, port),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )


def test_serve_demo_segment_report_export_erase_backup_restore(tmp_path):
    here, there, file = tmp_path / "here", tmp_path / "there", tmp_path / "backup.tar"
    with serving(here) as service:
        service.first = audience(here, "demo", "--people", "2000")
        site = service.first["site_uuid"]
        rules = json.dumps({"field": "plan", "is": "monthly"})
        segment = audience(here, "segment", "create", "Paying", rules, "--site", site)
        paying = service.call("GET", f"/stats/segment?segment_id={segment['id']}")[1]["user_count"]
        assert 100 < paying < 1000
        report_id = audience(here, "report", "list", "--site", site)[0]["id"]
        assert service.call("GET", f"/stats/report?report_id={report_id}")[0] == 200
        assert audience(here, "report", "show", report_id, "--site", site)["data"]
        audience(here, "export", str(tmp_path / "people.csv"), "--site", site)
        lines = (tmp_path / "people.csv").read_text("utf-8").splitlines()
        assert len(lines) == 2001
        email = next(csv.DictReader(lines))["email"]
        assert audience(here, "subscriber", "erase", email, "--site", site, "--yes") == {"erased": True}
        status, counts = service.call("GET", "/stats/site")
        assert (status, counts["user_count"]) == (200, 1999)
        examined = typed(here, "doctor", "--offline", "--recount", port=service.port)
        assert examined.returncode == 0, examined.stdout
        assert audience(here, "backup", str(file))["rows"]["subscribers"] == 1999
        refused = typed(here, "restore", str(file), "--yes")
        assert (refused.returncode, "stop it first" in refused.stderr) == (1, True)
    audience(there, "restore", str(file), "--yes")
    with serving(there) as restored:
        restored.first = service.first
        assert restored.call("GET", "/stats/site") == (200, counts)
        page = restored.call("POST", "/fetch/search", {"page": 1})[1]["data"]
        assert len(page) == 100
        assert restored.call("GET", f"/fetch/subscribers?email={email}")[1]["data"] is None
    assert audience(there, "site", "delete", service.first["site_uuid"], "--yes")["clean"] is True
