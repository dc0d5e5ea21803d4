"""Answers to the six stateless questions, one package per question; what several use lies flat.

May import: leaves, and its own tables in audience.data.
Never: stores anything or imports a noun.
"""
