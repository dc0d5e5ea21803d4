"""The specifics of each database engine: opening, locking, files, diagnostics.

May import: storage.errors.
Never: refers to a table of the project.
"""
