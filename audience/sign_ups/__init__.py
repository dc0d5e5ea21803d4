"""Sign-ups: requests to be subscribed, which nobody sees in the list until they are confirmed."""

__all__ = ["alarm_mails", "checks", "confirming", "figures", "holds", "sending", "sign_ups", "steps"]
