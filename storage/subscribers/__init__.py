"""Subscribers: one by one and in batches, with their custom fields, events, tags and domains."""
