"""The log of erasures, and the erased and unsubscribed addresses."""

__all__ = ["log", "suppressions"]
