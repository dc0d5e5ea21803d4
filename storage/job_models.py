"""The table of work in the background."""

from typing import Any

from peewee import SQL, BigIntegerField, IntegerField, TextField

from storage.base_models import BaseModel, IdModel, add_partial_index


class JobModel(IdModel):
    """A job. `subject` is the id of the record that it is about, 0 for none. `seq` is its position in the
    site's order, None if it has none. Site 0 is the instance itself, so `site_id` is no foreign key.

    No worker may claim a job before `not_before`, in milliseconds of the clock of leases. Until then, a job
    without a `claim` waits, and one with a `claim` is leased to a worker. `wait_ms` is the whole length of
    that wait or lease.
    """

    site_id = IntegerField()
    kind = TextField()
    subject = IntegerField()
    seq = BigIntegerField(null=True)
    status = TextField()  # waiting, idle or failed
    claim = TextField(null=True)
    not_before = BigIntegerField(default=0)
    wait_ms = BigIntegerField(default=0)
    attempts = IntegerField(default=0)
    reason = TextField(default="")

    class Meta:
        table_name = "jobs"
        indexes = ((("site_id", "kind", "subject"), True),)


_job: Any = JobModel
add_partial_index("jobs_due", _job.not_before, where=SQL("status = 'waiting'"))
add_partial_index("jobs_claimed", _job.site_id, where=SQL("claim IS NOT NULL"))
add_partial_index("jobs_in_order", _job.site_id, _job.seq, where=SQL("seq IS NOT NULL"))

JOB_MODELS: tuple[type[BaseModel], ...] = (JobModel,)
