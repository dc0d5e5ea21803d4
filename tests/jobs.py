"""Does the work of a worker, for tests."""

from audience import jobs
from audience.bulk import chunks as bulk_chunks
from audience.segments import counts as segment_counts


def run_due(*kinds, seconds=60):
    """Does all due jobs of these kinds, which share a lane, on all sites. `seconds` are per site."""
    for site_id in jobs.due_sites():
        jobs.work(kinds, site_id, seconds)


def run_bulk_actions(instance):
    run_due(bulk_chunks.kind(instance))


def count_segments():
    run_due(segment_counts.KIND)
