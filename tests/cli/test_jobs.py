"""`audience jobs`: what failed says why, and is tried again at once."""

import pytest

from audience import jobs
from audience.access.audit_log import COMMAND_LINE
from audience.bulk import actions as bulk_actions
from audience.bulk import chunks as bulk_chunks
from audience.imports import imports
from audience.segments import counts as segment_counts
from audience.segments import segments
from storage import database
from tests.client import FakeQueue
from tests.jobs import count_segments, run_bulk_actions, run_due


def fail(*_):
    raise ValueError("ann@example.com")


def failing_bulk_action(client, patch, instance):
    with database.session():
        ids = [id_ for (id_,) in database.rows("SELECT id FROM subscribers")]
    new = bulk_actions.NewAction(kind="tag", ids=ids, seen=bulk_actions.fingerprint(ids), tag="fair")
    bulk_actions.begin(client.site, new, COMMAND_LINE)
    patch.setattr(bulk_chunks, "_change", fail)
    return lambda: run_bulk_actions(instance)


def failing_segment(client, patch, _):
    segments.create(client.site, {"name": "Fair", "rules": {"tag": "fair"}})
    patch.setattr(segments, "members", fail)
    return count_segments


def failing_import(client, patch, _):
    imports.accept(client.site, [(0, {"email": "bob@example.com"})], [], FakeQueue(), 0)
    patch.setattr(imports, "_apply", fail)
    patch.setattr(jobs, "RETRY_AFTER_MS", 0)

    def work():
        for _ in range(jobs.MAX_FAILURES):
            run_due(imports.KIND)

    return work


@pytest.mark.parametrize(
    ("begin", "kind", "attempts", "status"),
    [
        (failing_bulk_action, "bulk_act", 1, "failed"),
        (failing_segment, "segment", 1, "waiting"),
        (failing_import, "import", 5, "failed"),
    ],
)
def test_what_failed_says_why_and_is_tried_again_at_once(
    run, client, monkeypatch, settings, caplog, begin, kind, attempts, status
):
    client.create("ann@example.com")
    with pytest.MonkeyPatch.context() as patch:
        work = begin(client, patch, settings.instance)
        work()
    [shown] = run("jobs", "list", "--json")
    about = [shown[name] for name in ("site_uuid", "kind", "attempts", "status")]
    assert about == [client.site.uuid, kind, attempts, status]
    assert shown["reason"].startswith("ValueError at ")
    assert "ann@example.com" not in shown["reason"] + caplog.text
    line = run("jobs", "list")
    assert f"{kind.replace('_', ' ')} {shown['subject']}: failed " in line
    assert ("given up" if status == "failed" else "to be tried again") in line
    run("jobs", "retry", str(shown["id"]))
    work()
    assert run("jobs", "list", "--json") == []


def test_a_job_that_did_not_fail_is_not_tried_again(type_, client):
    segments.create(client.site, {"name": "Fair", "rules": {"tag": "fair"}})
    assert "audience jobs list" in str(type_("jobs", "retry", "1").exception)
    assert segment_counts.by_segment(client.site) == {}
