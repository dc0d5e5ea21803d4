"""Undos of imports and of bulk actions."""

__all__ = ["undos"]
