"""Sends what a webhook is told: which addresses may be called, the request, its signature.

May import: leaves.
Never: stores anything, knows HTTP's server side, or tells which address a name had.
"""
