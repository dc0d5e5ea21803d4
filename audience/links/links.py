"""The links of a site's subscribers: making them, and reading one."""

import hmac
import time
from typing import NamedTuple

from audience import addresses, clock
from audience.access import site_keys
from audience.access.sites import Site
from audience.links import generations, tokens
from audience.links.generations import Standing
from audience.links.tokens import ADDRESS_BYTES, PREFERENCES, SITE_BYTES, UNSUBSCRIBE, Payload
from audience.looks import looks
from storage import database
from storage.access import sites as stored_sites
from storage.looks import looks as stored_looks

__all__ = ["PREFERENCES", "UNSUBSCRIBE", "Standing"]

GLUED = ".,)>"  # what mail programs take for a part of a URL at its end
NOT_HTTPS = (
    "Gmail and Yahoo ignore these links, because they do not begin with https://. Set "
    "AUDIENCE_PUBLIC_URL, or the address of the site's pages, to an https:// URL."
)


class Links:
    """Makes the links of a site's subscribers. Reads the database once, for any number of links.

    They begin with `base`, a URL without a final slash; if the site has an address of its own, with that
    address and the path of `base`. `note` warns that mail programs ignore the links, or is empty.
    """

    @database.session()
    def __init__(self, site: Site, base: str) -> None:
        current = generations.read(site.id).current
        base = looks.base_url(stored_looks.get(site.id), base)
        self._site_id = site.id
        self._begin = tokens.begin(current.generation, bytes.fromhex(site.uuid[: 2 * SITE_BYTES]))
        self._month = tokens.MONTH.pack(_month(clock.now_ms()))
        self._signers = [
            (f"{base}/{purpose}/", tokens.signer(generations.key(site.id, purpose, current)))
            for purpose in (UNSUBSCRIBE, PREFERENCES)
        ]
        self.note = "" if base.startswith("https://") else NOT_HTTPS

    def urls(self, uuid: str, email_key: str) -> dict[str, str]:
        """The URLs of one subscriber, by purpose."""
        packed = self._begin + bytes.fromhex(uuid.replace("-", "")) + tokens.NO_TOPIC
        address = _address(self._site_id, email_key)
        (leave_url, leave_signer), (choose_url, choose_signer) = self._signers
        return {
            UNSUBSCRIBE: leave_url + tokens.write(packed, leave_signer),
            PREFERENCES: choose_url + tokens.write(packed + address + self._month, choose_signer),
        }

    def urls_of_address(self, uuid: str, email: str) -> dict[str, str]:
        """The links of a subscriber, by the address as it is shown."""
        return self.urls(uuid, addresses.identity(email))


class Link(NamedTuple):
    """A link that was read. The subscriber with its `uuid` may be deleted, or unknown after a restore.

    `topic_id` 0 means all topics. Only a preferences link has an `address`, the beginning of a hash. `month`
    is when it was made, counted from the year 0.
    """

    purpose: str
    site: Site
    uuid: str
    topic_id: int
    generation: int
    standing: Standing
    address: bytes
    month: int

    def is_for(self, email_key: str) -> bool:
        """Whether a preferences link was made for this address, which may have changed since."""
        return hmac.compare_digest(self.address, _address(self.site.id, email_key))


@database.session()
def read(purpose: str, token: str) -> Link | None:
    """The link of a token; None if no site has signed it for this purpose.

    A revoked link is returned, too: the caller must check its `standing`.
    """
    token = token.rstrip(GLUED)
    payload = tokens.read(purpose, token)
    sites = stored_sites.beginning_with(payload.site_prefix.hex()) if payload else []
    links = (_read(purpose, token, payload, site) for site in sites if payload)
    return next(filter(None, links), None)


def _read(purpose: str, token: str, payload: Payload, site: Site) -> Link | None:
    """The link of a token; None if the site has not signed the token.

    Takes the same time whether the signature is wrong or the generation never existed.
    """
    of_site = generations.read(site.id)
    generation = of_site.by_number.get(payload.generation)
    key = generations.key(site.id, purpose, generation or generations.FIRST)
    if not tokens.is_signed(token, key) or generation is None:
        return None
    number, _, packed, topic_id, address, month = payload
    uuid, standing = tokens.uuid_text(packed), of_site.standing(number)
    return Link(purpose, site, uuid, topic_id, number, standing, address, month)


def _address(site_id: int, email_key: str) -> bytes:
    """The first bytes of the keyed hash of an address."""
    digest = site_keys.address_hash(site_id, email_key).removeprefix(site_keys.SECOND)
    return bytes.fromhex(digest[: 2 * ADDRESS_BYTES])


def _month(at: int) -> int:
    """The month of an instant in milliseconds, counted from the year 0."""
    date = time.gmtime(at / 1000)
    return 12 * date.tm_year + date.tm_mon - 1
