"""Segments: which subscribers their rules choose, how many those are, and how many they were."""

__all__ = ["counts", "members", "nodes", "rules", "segments"]
