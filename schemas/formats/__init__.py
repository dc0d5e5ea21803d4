"""The formats of files: CSV columns and cells, and constant-memory readers of CSV and JSON.

May import: schemas.
Never: reads a file as a whole.
"""
