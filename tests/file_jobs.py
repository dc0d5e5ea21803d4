"""What workers do with files that operators sent."""

from functools import partial

from audience import jobs
from audience.imports import file_tasks
from schemas.file_imports import look_through
from schemas.file_texts import kept_texts
from storage.imports.file_uploads import JOB
from workers.child_process import ChildProcess


def do_files(instance, open_file=None, open_texts=None):
    """Searches, tries and imports all uploaded files that are due."""
    child = ChildProcess()
    kind = file_tasks.kind(
        instance, open_file or partial(look_through, child), open_texts or partial(kept_texts, child)
    )
    while site_ids := [each for each in jobs.due_sites() if JOB in jobs.due_kinds(each)]:
        for site_id in site_ids:
            jobs.work([kind], site_id, 30)
