"""The IP address of a sign-up, as proxies write it: one address or a list that begins with the visitor's,
each perhaps with a port.
"""

from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address

MAX_LENGTH = 1000  # characters; the rest is ignored

IpAddress = IPv4Address | IPv6Address


def is_list(text: str) -> bool:
    return "," in text and sender(text) is not None


def sender(text: str) -> IpAddress | None:
    """The visitor's address: the first public one in the list or, if none is public, the first one. None
    without an address.

    An IPv4 address that is written as an IPv6 one becomes an IPv4 one.
    """
    addresses = []
    for part in text[:MAX_LENGTH].split(","):
        with suppress(ValueError):
            address = ip_address(_without_port(part.strip().strip('"')))
            addresses.append(getattr(address, "ipv4_mapped", None) or address)
    return next((address for address in addresses if address.is_global), addresses[0] if addresses else None)


def _without_port(text: str) -> str:
    """The address without the port and brackets of `8.8.8.8:443` and `[2001:db8::1]:443`. Any other text is
    returned unchanged.
    """
    address, colon, port = text.rpartition(":")
    if text.startswith("[") and text.endswith("]"):
        return text[1:-1]
    if not (colon and port.isascii() and port.isdigit()):
        return text
    if address.startswith("[") and address.endswith("]"):
        return address[1:-1]
    return text if ":" in address else address
