"""Webhooks, and the log of their deliveries."""
