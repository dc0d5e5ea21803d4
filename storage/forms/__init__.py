"""Forms by which visitors sign up, and every version of their wording."""

__all__ = ["forms"]
