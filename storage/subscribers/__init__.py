"""Subscribers: one by one and in batches, with their custom fields, events, tags and domains."""

__all__ = ["batches", "custom_fields", "domains", "events", "field_values", "subscribers", "tags", "texts"]
