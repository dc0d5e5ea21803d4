"""Who may do what: sites and their counters, keys, operators, sessions, and the audit log."""

__all__ = [
    "address_lists",
    "audit_log",
    "keys",
    "operators",
    "sent_forms",
    "sessions",
    "site_counters",
    "sites",
]
