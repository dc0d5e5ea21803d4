"""Imports: the inbox and its step, and the files that operators send."""
