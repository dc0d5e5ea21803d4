"""Segments: their rules as SQL, how many match, and why a subscriber does."""

__all__ = ["counts", "matches", "nodes", "people", "rules", "segments"]
