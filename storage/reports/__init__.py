"""Saved reports, and the queries that count for them."""

__all__ = ["queries", "reports"]
