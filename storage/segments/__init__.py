"""Segments: their rules as SQL, how many match, and why a subscriber does."""
