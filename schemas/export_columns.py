"""The columns of the CSV export in their order. The columns of custom fields follow them
(`schemas/exports.py`).
"""

from schemas.values import DATES, NAMES

EXPORT_COLUMNS = ("uuid", "email", *NAMES, "tags", *DATES)
