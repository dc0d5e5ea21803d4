"""Bulk actions: what an operator does to many subscribers at once."""
