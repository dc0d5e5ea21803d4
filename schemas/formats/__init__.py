"""The formats of files: CSV columns and cells, dates, encodings, constant-memory readers, and workbooks.

May import: schemas.
Never: reads a file as a whole.
"""
