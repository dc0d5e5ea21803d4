"""Sign-ups: requests to be subscribed, which are no subscribers until confirmed, and what is kept of them."""

__all__ = ["alarms", "backlog", "counts", "link_requests", "mailboxes", "proofs", "sign_ups"]
