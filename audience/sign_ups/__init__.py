"""Sign-ups: requests to be subscribed, which nobody sees in the list until they are confirmed."""

__all__ = ["alarm_mails", "checks", "confirming", "holds", "requests", "sending", "sign_ups", "steps"]
