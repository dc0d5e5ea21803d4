"""Undos of imports and of bulk actions."""
