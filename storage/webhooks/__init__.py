"""Webhooks, and the log of their deliveries."""

__all__ = ["deliveries", "webhooks"]
