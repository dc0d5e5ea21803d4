"""Sign-ups: requests to be subscribed, which nobody sees in the list until they are confirmed."""

__all__ = ["backlog"]
