"""Bulk actions, and the subscribers of each."""

__all__ = ["actions"]
