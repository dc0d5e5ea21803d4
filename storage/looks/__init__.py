"""Looks: how the public pages of each site look."""

__all__ = ["looks"]
