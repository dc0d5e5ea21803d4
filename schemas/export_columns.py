"""The columns of the CSV export, in their order; those of custom fields follow (`schemas/exports.py`)."""

from schemas.values import DATES, NAMES

EXPORT_COLUMNS = ("uuid", "email", *NAMES, "tags", *DATES)
