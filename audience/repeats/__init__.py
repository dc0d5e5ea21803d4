"""Requests that a client may send again: each is carried out once."""

__all__ = ["repeats"]
