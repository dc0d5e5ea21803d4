"""Finding the address that somebody who misspelt one probably meant."""

from audience.answers.domains import is_registrable
from audience.answers.validation.address import Address, parse
from audience.answers.validation.homographs import letters, looks_latin
from audience.answers.validation.typos import Typos

QUOTES = "'\"`´‘’“”„«»<>"


def suggest(address: Address, is_valid: bool, typos: Typos) -> str | None:
    """The address that was probably meant; None if that is unknown, or is the `address` that was sent.

    `address` is as `split_loosely` returns it. `is_valid` tells whether it is an e-mail address. Only in a
    malformed one, quotes are removed and commas become dots.
    """
    host = address.domain if is_valid else address.domain.rstrip(QUOTES)
    domain = _meant_domain(host, typos) or ("" if is_valid else _with_dots(host))
    local = address.local if is_valid else address.local.lstrip(QUOTES)
    meant = f"{local}@{domain}"
    return meant if local and domain and parse(meant) else None


def _meant_domain(domain: str, typos: Typos) -> str | None:
    seen = letters(domain)
    if not seen.isascii() and typos.is_provider(taken_for := looks_latin(seen)):
        return taken_for
    return typos.suggest(domain)


def _with_dots(domain: str) -> str:
    """The domain with dots in place of commas. Empty if that is no registrable domain."""
    dotted = domain.replace(",", ".")
    return dotted if is_registrable(dotted) else ""
