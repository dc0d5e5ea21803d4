"""Finding subscribers: searches, lists to look through, and suggestions."""

__all__ = ["lists", "searches", "suggestions"]
