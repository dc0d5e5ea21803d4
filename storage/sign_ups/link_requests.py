"""Requests to mail an address its links, kept until the email is sent. Instants are in milliseconds."""

from collections.abc import Iterable
from typing import NamedTuple

from storage.base_models import SiteOwnedModel
from storage.database import execute_many, value
from storage.records import Records
from storage.sql import rows_of

JOB = "links"  # the kind of the job of a request


class LinkRequest(NamedTuple):
    """A request, whose row and job end together. `email` is in normal form; `base_url` is the setting's value
    when the request was made.

    `tries` counts tries that certainly sent nothing. With -1 or -2, one or two emails may have been sent.
    """

    id: int
    address_hash: str
    email: str
    language: str
    base_url: str
    requested_at: int
    tries: int = 0


class LinkRequestModel(SiteOwnedModel, table="link_requests", record=LinkRequest):
    class Meta:
        indexes = ((("site", "address_hash"), False),)


REQUESTS = Records(LinkRequestModel, LinkRequest)
add, get, has, change = REQUESTS.add_new, REQUESTS.get, REQUESTS.has, REQUESTS.change
delete = REQUESTS.delete


def oldest(site_id: int | None) -> int | None:
    """When the oldest request of a site, or of all, was made; None without one."""
    of = rows_of(site_id)
    return value(f"SELECT MIN(requested_at) FROM link_requests WHERE {of.text}", of.parameters, None)


def erase(site_id: int, hashes: Iterable[str]) -> None:
    """Deletes the requests of addresses, by hash."""
    execute_many(
        "DELETE FROM link_requests WHERE site_id = ? AND address_hash = ?",
        [(site_id, address_hash) for address_hash in hashes],
    )
