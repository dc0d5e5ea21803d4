"""Looks: the name, the addresses, the colour and the logo of a site's public pages, and who its emails are
from.
"""

__all__ = ["colours", "looks", "senders"]
