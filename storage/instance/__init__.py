"""The whole database: its state and its pepper, backups, moves to another, checks."""

__all__ = ["backups", "doctor", "erased_pages", "moves", "pepper", "site_tables", "state"]
