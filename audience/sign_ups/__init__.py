"""Sign-ups: requests to be subscribed, which nobody sees in the list until they are confirmed."""

__all__ = ["alarm_mails", "backlog", "checks", "confirming", "holds", "sending", "sign_ups", "steps"]
