"""Who may do what: sites and their counters, keys, operators, sessions, and the audit log."""
