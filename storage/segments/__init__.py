"""Segments: whom their rules choose, how many they are, and how many they were."""

__all__ = ["counts", "members", "nodes", "rules", "segments"]
