"""Renaming tags, and merging them."""

__all__ = ["tag_renames"]
