"""Finding subscribers: searches, lists to look through, suggestions, and mirrors."""

__all__ = ["lists", "mirror_files", "mirror_servers", "mirrors", "searches", "suggestions"]
