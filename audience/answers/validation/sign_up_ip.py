"""The IP address of a sign-up: one address, or a list as `X-Forwarded-For` has, the visitor's first."""

from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address

MAX_LENGTH = 1000  # characters; the rest is ignored

IpAddress = IPv4Address | IPv6Address


def is_list(text: str) -> bool:
    return "," in text and sender(text) is not None


def sender(text: str) -> IpAddress | None:
    """The first public address of the list, else the first address; None without one.

    An IPv4 address written as an IPv6 one becomes an IPv4 one.
    """
    found = []
    for part in text[:MAX_LENGTH].split(","):
        with suppress(ValueError):
            address = ip_address(part.strip())
            found.append(getattr(address, "ipv4_mapped", None) or address)
    return next((address for address in found if address.is_global), found[0] if found else None)
