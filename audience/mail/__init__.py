"""Sends the few emails of the service: the relay that takes them, and their texts. Other packages decide what
is sent to whom.

May import: leaves, deliveries.
Never: stores anything, or puts into an email what a visitor typed.
"""
