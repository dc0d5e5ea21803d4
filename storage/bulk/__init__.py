"""Bulk actions, and the subscribers of each; renames and merges of tags."""

__all__ = ["actions", "tag_renames"]
