"""Sign-ups: what visitors ask for, until they confirm it."""

__all__ = ["checks", "steps"]
