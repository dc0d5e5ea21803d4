"""The database: a package of tables and queries per subject, the engines, migrations.

May import: storage.
Never: decides, opens a transaction in a query, or raises a driver's error.
"""
