"""Bulk actions, and the subscribers of each."""
