"""The whole database: its state and its pepper, backups, moves to another, checks."""
