"""`audience jobs`: work in the background that failed."""

from typing import Any

import click

from audience import jobs
from audience.access import sites
from audience.cli.instance import on_instance
from audience.cli.output import Partly, as_json, show
from audience.cli.wrong_calls import WholeNumber
from audience.config import Settings

SILENT = "the tables of some sites do not answer: the jobs of these sites are not listed"


@click.group(name="jobs")
def jobs_group() -> None:
    """List failed background jobs, or retry one."""


@jobs_group.command(name="list")
@as_json
@on_instance
def list_jobs(_: Settings, as_json: bool) -> None:
    """List failed jobs with the reason, and whether the service will try them again or has given them up.

    Example: audience jobs list
    """
    failed, silent = jobs.list_failed_of_answering()
    uuids = {site.id: site.uuid for site in sites.list_all()}
    rows = [
        {"id": job.id, "site_uuid": uuids.get(job.site_id), "kind": job.kind, "subject": job.subject,
         "status": job.status, "attempts": job.attempts, "reason": job.reason}
        for job in failed
    ]  # fmt: skip
    show(rows, as_json, map(_line, rows))
    if silent:
        raise Partly(SILENT) from silent


def _line(row: dict[str, Any]) -> str:
    owner = row["site_uuid"] or "the instance"
    what = f"{row['kind'].replace('_', ' ')} {row['subject'] or ''}".rstrip()
    times = "once" if row["attempts"] == 1 else f"{row['attempts']} times"
    then = "given up" if row["status"] == "failed" else "to be tried again"
    return f"{row['id']:>8}  {owner}  {what}: failed {times}, {then}. {row['reason']}".rstrip()


@jobs_group.command()
@click.argument("job_id", type=WholeNumber(1))
@as_json
@on_instance
def retry(settings: Settings, job_id: int, as_json: bool) -> None:
    """Try a failed job again at once; it continues where it stopped.

    Example: audience jobs retry 7
    """
    from audience.operations.job_kinds import given_up

    jobs.retry(given_up(settings), job_id)
    show({"job_id": str(job_id), "status": "waiting"}, as_json, ["A worker tries it again at once."])
