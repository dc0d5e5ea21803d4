"""Segments: their rules, how many match, and why a subscriber does."""
