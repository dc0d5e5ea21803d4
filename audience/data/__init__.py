"""The bundled tables, with source, licence and date of each.

May import: nothing.
Never: contains code.
"""
