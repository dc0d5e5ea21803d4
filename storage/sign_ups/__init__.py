"""Sign-ups: requests to be subscribed, outside the list until confirmed, and what is kept of them."""

__all__ = ["alarms", "backlog", "counts", "mailboxes", "proofs", "sign_ups"]
