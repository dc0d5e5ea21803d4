"""Finding subscribers: searches, lists to look through, and exports."""

__all__ = ["exports", "lists", "searches"]
