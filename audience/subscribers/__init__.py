"""Subscribers: the one function that writes them; their commands, events, tags, custom fields and counts."""
