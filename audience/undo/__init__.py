"""Undoing what an import or a bulk action did."""

__all__ = ["undos", "work"]
