"""Looks: the name, the addresses, the colour and the logo of a site's public pages."""

__all__ = ["colours", "looks"]
