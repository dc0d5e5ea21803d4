"""Changes to subscribers: what is asked for, whose consent counts, and the record of what was done."""

__all__ = ["batches", "changes", "consents", "entries", "log", "pages", "retention", "targets"]
