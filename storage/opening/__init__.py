"""What opening the database needs: connections, the history of its migrations, the places of its files."""

__all__ = ["connections", "history", "open_gate", "places", "replica"]
