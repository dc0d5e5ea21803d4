"""Reports: their types, periods, and how a site grew."""

__all__ = ["growth", "periods", "report_types", "reports"]
