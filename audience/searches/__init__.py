"""Finding subscribers: searches, lists to look through, exports, and mirrors."""

__all__ = ["exports", "lists", "mirrors", "searches"]
