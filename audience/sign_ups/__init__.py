"""Sign-ups: requests to be subscribed, which nobody sees in the list until they are confirmed."""

__all__ = ["checks", "confirming", "holds", "link_requests", "mails", "requests", "sign_ups", "steps"]
