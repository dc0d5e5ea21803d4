"""Undoing what an import or a bulk action did."""
