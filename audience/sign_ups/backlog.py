"""Confirmations that wait to be sent, of all sites."""

from audience import clock
from storage import database
from storage.sign_ups import backlog as stored


@database.session()
def oldest_seconds() -> float:
    """For how long the oldest has waited, in seconds; 0 if none waits."""
    since = stored.oldest_waiting()
    return 0.0 if since is None else max(0, clock.now_ms() - since) / 1000
