"""Sign-ups: requests to be subscribed, which nobody sees in the list until they are confirmed."""

__all__ = ["alarm_mails", "alarms", "checks", "confirming", "holds", "sending", "sign_ups", "steps"]
