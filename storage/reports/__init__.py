"""Saved reports, and the queries that count for them."""
