"""Looks: the name, URLs, colour and logo of a site's public pages, and the sender of its emails."""

__all__ = ["colours", "looks", "senders"]
