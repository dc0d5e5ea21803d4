"""Addresses as somebody sent them, malformed ones too: what is meant, and their keyed hashes."""

from contextlib import suppress

from audience import addresses, redaction
from audience.access import site_keys


def meant(address: str) -> str:
    """An address, or that which a malformed one is in an encoding, such as `ann%40example.com`."""
    plain = (redaction.address_in(address) or address).strip("'")
    for form in (address, plain):
        with suppress(addresses.MalformedAddress):
            addresses.identity(form)
            return form
    return address


def address_hash(site_id: int, address: str) -> str:
    """The keyed hash of an address, also of a malformed one."""
    return site_keys.address_hash(site_id, _key(address))


def address_hashes(site_id: int, address: str) -> list[str]:
    """All under which it may be known, also of a malformed one; the one of now first."""
    return site_keys.address_hashes(site_id, _key(address))


def _key(address: str) -> str:
    try:
        return addresses.identity(address)
    except addresses.MalformedAddress:
        return address.strip().lower()
