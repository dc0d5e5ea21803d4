"""Confirmations that wait to be sent, of all sites."""

from storage.database import value
from storage.sign_ups.sign_ups import JOB


def oldest_waiting() -> int | None:
    """When the oldest sign-up with an unsent confirmation was requested, in milliseconds; else None."""
    return value(
        "SELECT MIN(s.requested_at) FROM jobs j "
        "JOIN sign_ups s ON s.site_id = j.site_id AND s.id = j.subject WHERE j.kind = ?",
        (JOB,),
        None,
    )
