"""Finding subscribers: searches, lists to look through, suggestions, and files of mirrors."""

__all__ = ["lists", "mirror_files", "searches", "suggestions"]
