"""Reports: their types, periods, and how a site grew."""
