"""Forms by which visitors sign up: their definition and wording, opening them, and their HTML."""

__all__ = ["embedding", "forms"]
