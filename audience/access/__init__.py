"""Who may do what: sites and their keys, operators, sessions, and the audit log of what they did."""

__all__ = ["address_lists", "audit_log", "keys", "operators", "sessions", "sign_in", "site_keys", "sites"]
