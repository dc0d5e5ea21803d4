"""Subscribers: the one function that writes them; their commands, events, tags, custom fields and counts."""

__all__ = ["commands", "custom_fields", "events", "field_values", "stats", "subscribers", "tags", "writes"]
