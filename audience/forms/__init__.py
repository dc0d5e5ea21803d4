"""Forms: what a site lets visitors fill in."""

__all__ = ["forms"]
