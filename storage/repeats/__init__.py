"""Requests that a client may send again: what they made."""

__all__ = ["idempotency_keys"]
