"""Bulk actions: what an operator does to many subscribers at once."""

__all__ = ["actions", "chunks", "field_deletions"]
