"""The database: models, one file of queries per noun, migrations.

May import: storage.
Never: decides, opens a transaction in a query, or raises a driver's error.
"""
