"""Where a webhook may be sent: never into the operator's own network, unless a setting allows that."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from audience.deliveries.names import LookUp, NameUnknown, look_up
from audience.errors import Refused
from schemas.codes import Code, Sentence

MAX_LENGTH = 2000
LOOK_UP_SECONDS = 5.0
PORTS = {"https": 443, "http": 80}
URL = re.compile(r"[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+")  # RFC 3986 section 2

NOT_A_URL = Sentence(
    Code.URL_REFUSED,
    "Send a URL such as https://example.com/hook, of at most 2,000 characters, all of them ASCII.",
)
NOT_HTTPS = Sentence(Code.URL_REFUSED, "Send a URL that begins with https://")
NOT_PLAIN = Sentence(
    Code.URL_REFUSED,
    "Leave out user name, password and fragment (#): the signature shows who sent the message.",
)
NOT_PUBLIC = Sentence(
    Code.URL_REFUSED,
    "Address refused: send a URL whose host has public addresses only, or set "
    "AUDIENCE_WEBHOOK_PRIVATE_ADDRESSES=true to reach your own network.",
)
NOT_ENCRYPTED = Sentence(
    Code.URL_REFUSED,
    "Outside your own network, confirmation links are only sent encrypted: give a URL that begins with https://",
)

# Not for a receiver, though Python's tables, which differ between its versions, may call them public.
NEVER_4 = tuple(
    map(
        IPv4Network,
        (
            "168.63.129.16/32",  # Azure's host, to each of its machines
            "192.0.0.0/24",  # protocols; metadata at Oracle
            "192.88.99.0/24",  # relays of 6to4
        ),
    )
)
NEVER_6 = tuple(
    map(
        IPv6Network,
        (
            "64:ff9b:1::/48",  # a network's own NAT64, which may put the IPv4 address anywhere
            "2001::/23",  # protocols; Teredo, which holds two IPv4 addresses
            "2002::/16",  # 6to4: a tunnel to the IPv4 address in it
            "3fff::/20",  # documentation
            "5f00::/16",  # segment routing
            "fec0::/10",  # site-local
        ),
    )
)
NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: the only way to IPv4 from networks without it


class AddressRefused(Refused):
    """A delivery to this URL is not allowed. The message never reveals the host's address."""


@dataclass(frozen=True)
class Receiver:
    """The receiver in a URL. `authority` is the host, with any port; `target` is path and query."""

    is_encrypted: bool
    host: str
    port: int
    authority: str
    target: str


def check_url(
    url: str, *, private_addresses: bool, is_secret: bool = False, look_up: LookUp = look_up
) -> None:
    """Raises `AddressRefused` for a URL that may not be called or, with `is_secret`, may get no secret.

    Accepts a host whose addresses are unknown now, since each delivery looks them up again.
    """
    receiver = read(url, private_addresses=private_addresses)
    try:
        addresses = look_up(receiver.host, LOOK_UP_SECONDS)
    except NameUnknown:
        return
    require_allowed(receiver, addresses, private_addresses=private_addresses, is_secret=is_secret)


def read(url: str, *, private_addresses: bool) -> Receiver:
    """The receiver in a URL, without looking up its host. Raises `AddressRefused`."""
    parts = _split(url)
    if parts.scheme != "https" and not (private_addresses and parts.scheme == "http"):
        raise AddressRefused(NOT_HTTPS)
    if "@" in parts.netloc or "#" in url:
        raise AddressRefused(NOT_PLAIN)
    if not parts.hostname or parts.port == 0:
        raise AddressRefused(NOT_A_URL)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    port = parts.port or PORTS[parts.scheme]
    return Receiver(parts.scheme == "https", parts.hostname, port, parts.netloc, target)


def _split(url: str) -> SplitResult:
    """The parts of a URL. Raises `AddressRefused` if the text is no URL."""
    if len(url) > MAX_LENGTH or not URL.fullmatch(url):
        raise AddressRefused(NOT_A_URL)
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise AddressRefused(NOT_A_URL) from None
    return parts


def require_allowed(
    receiver: Receiver, addresses: Sequence[str], *, private_addresses: bool, is_secret: bool
) -> None:
    """Raises `AddressRefused` if one of the receiver's addresses is not public, unless with
    `private_addresses`, or if a secret would go unencrypted to a public address.
    """
    are_public = [is_public(ip_address(address)) for address in addresses]
    if not private_addresses and not all(are_public):
        raise AddressRefused(NOT_PUBLIC)
    if is_secret and not receiver.is_encrypted and any(are_public):
        raise AddressRefused(NOT_ENCRYPTED)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is on the public internet, not on this machine or its network."""
    if isinstance(address, IPv4Address):
        return _is_public(address) and not any(address in network for network in NEVER_4)
    held = address.ipv4_mapped
    if held is None and address in NAT64:
        held = IPv4Address(int(address) & 0xFFFFFFFF)
    if held is not None:
        return is_public(held)
    return _is_public(address) and not any(address in network for network in NEVER_6)


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    return address.is_global and not (address.is_multicast or address.is_reserved)
