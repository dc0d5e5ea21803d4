"""Sends the few emails of the service: the relay that takes them, and their texts. What is written to whom is
decided elsewhere.

May import: leaves, deliveries.
Never: stores anything, or puts into an email what a visitor typed.
"""
