"""The migrations of PostgreSQL, from one that makes what SQLite has by then; then as those beside."""
