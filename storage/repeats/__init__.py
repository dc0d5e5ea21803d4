"""Requests that a client may send again, and what they made."""

__all__ = ["idempotency_keys"]
