"""Erasing subscribers, and the log that repeats it after a restore."""

__all__ = ["erasures", "log", "waiting_imports"]
