"""Webhooks: where the changes of a site are sent, and sending them."""

__all__ = ["deliveries", "finished_imports", "outgoing", "sender", "webhooks"]
