"""Backups in the console: made, downloaded, deleted, by administrators alone."""

import io
import tarfile

import pytest

from audience import clock, jobs
from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.operations import backups, kept_backups
from tests.console.browser import signed_in
from workers.after_backup import AfterBackup

ACTOR = Actor("admin@example.com")


def work(settings):
    jobs.work([kept_backups.kind(settings, AfterBackup())], 0, 30)


def acts():
    return [(entry.actor, entry.act) for entry in audit_log.page(None) if entry.act.startswith("backup")]


def test_a_backup_is_made_downloaded_and_deleted(site, administrator, settings):
    assert "No backups here" in administrator.get("/backups").text
    assert administrator.post("/backups").status_code == 303
    assert "A backup is being made" in administrator.get("/backups").text
    assert administrator.post("/backups").status_code == 422
    work(settings)
    assert "A backup is being made" not in administrator.get("/backups").text
    work(settings)
    [kept] = kept_backups.list_all(settings)
    assert kept.name in administrator.get("/backups").text
    assert oct((settings.instance / "backups" / kept.name).stat().st_mode)[-3:] == "600"
    sent = administrator.post(f"/backups/{kept.name}/download")
    assert kept.name in sent.headers["Content-Disposition"]
    with tarfile.open(fileobj=io.BytesIO(sent.data)) as tar:
        assert tar.getnames() == ["manifest.json", "pepper", "audience.db"]
    assert administrator.post(f"/backups/{kept.name}/delete").status_code == 303
    assert kept_backups.list_all(settings) == []
    who = "admin@example.com"
    assert acts() == [(who, "backup deleted"), (who, "backup downloaded"), (who, "backup made")]


def test_one_that_a_killed_worker_began_is_made_by_another(site, administrator, settings, monkeypatch):
    def kill(*_):
        raise KeyboardInterrupt

    administrator.post("/backups")
    with monkeypatch.context() as patch:
        patch.setattr(kept_backups, "_try", kill)
        with pytest.raises(KeyboardInterrupt):
            work(settings)
    work(settings)
    assert kept_backups.list_all(settings) == []
    later = clock.uptime_ms() + jobs.LONG.lease_ms + 1
    monkeypatch.setattr(clock, "uptime_ms", lambda: later)
    work(settings)
    assert len(kept_backups.list_all(settings)) == 1


def test_one_that_takes_longer_than_its_lease_is_made_once(site, administrator, settings, monkeypatch):
    create, begun = backups.create, []

    def overtaken(*arguments):
        begun.append(1)
        later = clock.uptime_ms() + jobs.LONG.lease_ms + 1
        monkeypatch.setattr(clock, "uptime_ms", lambda: later)
        work(settings)
        create(*arguments)

    administrator.post("/backups")
    monkeypatch.setattr(backups, "create", overtaken)
    work(settings)
    assert (len(begun), len(kept_backups.list_all(settings))) == (1, 1)
    assert "A backup is being made" not in administrator.get("/backups").text


def test_a_restored_database_makes_no_backup_by_itself_and_leaves_none_waiting(site, administrator, settings):
    administrator.post("/backups")
    asked = settings.instance / kept_backups.FOLDER / kept_backups.ASKED
    asked.rename(asked.with_suffix(".kept"))
    assert "A backup is being made" not in administrator.get("/backups").text
    work(settings)
    assert kept_backups.list_all(settings) == []
    assert jobs.due_sites() == []
    asked.with_suffix(".kept").rename(asked)
    assert "A backup is being made" not in administrator.get("/backups").text
    assert administrator.post("/backups").status_code == 303


def test_why_none_was_made_is_said_until_the_next(site, administrator, settings, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    administrator.post("/backups")
    monkeypatch.setattr(backups, "create", full)
    work(settings)
    assert "The backup was not made: [Errno 28] No space" in administrator.get("/backups").text
    monkeypatch.undo()
    administrator.post("/backups")
    work(settings)
    assert "was not made" not in administrator.get("/backups").text
    assert len(kept_backups.list_all(settings)) == 1


@pytest.mark.parametrize("name", ["audience-20260101-000000.tar", "pepper", "..%2fpepper", "..", "x.tar"])
def test_nothing_but_a_backup_is_sent_or_deleted(site, administrator, settings, name):
    (settings.instance / "backups").mkdir()
    (settings.instance / "backups" / "x.tar").write_bytes(b"x")
    for act in ("download", "delete"):
        assert administrator.post(f"/backups/{name}/{act}").status_code == 404
    assert (settings.instance / "backups" / "x.tar").exists()


def test_an_owner_makes_none(app, site, settings):
    owner = signed_in(app, "owner@example.com", {site: "owner"})
    assert owner.get("/backups").status_code == 404
    assert owner.post("/backups").status_code == 404
    kept_backups.ask(settings, ACTOR)
    work(settings)
    [kept] = kept_backups.list_all(settings)
    assert owner.post(f"/backups/{kept.name}/download").status_code == 404
    assert kept_backups.list_all(settings) == [kept]
