"""What opening the database needs: connections, the history of its migrations, the places of its files."""
