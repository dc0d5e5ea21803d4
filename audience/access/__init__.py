"""Who may do what: sites and their keys, operators, sessions, and the audit log of what they did."""
