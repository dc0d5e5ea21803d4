"""Segments: their rules, how many match, and why a subscriber does."""

__all__ = ["counts", "matches", "names", "segments", "subjects"]
