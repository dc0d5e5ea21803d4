"""Confirmations that wait to be sent, of a site or of all."""

from storage.database import value
from storage.sign_ups.sign_ups import JOB
from storage.sql import rows_of


def oldest_waiting(site_id: int | None) -> int | None:
    """When the oldest sign-up with an unsent confirmation was requested (milliseconds), or None."""
    of = rows_of(site_id, "j.")
    return value(
        "SELECT MIN(s.requested_at) FROM jobs j "
        "JOIN sign_ups s ON s.site_id = j.site_id AND s.id = j.subject "
        f"WHERE {of.text} AND j.kind = ?",
        (*of.parameters, JOB),
        None,
    )
