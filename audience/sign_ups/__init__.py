"""Sign-ups: requests to be subscribed, which nobody sees in the list until they are confirmed."""

__all__ = ["checks", "confirming", "sign_ups", "steps"]
