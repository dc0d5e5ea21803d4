"""The audit log: who changed what, when, on how many, and from where."""

import ipaddress
from collections.abc import Iterator, Mapping, Sized
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from audience import clock
from audience.clock import DAY_MS
from audience.privacy import redaction
from schemas.values import compact_json
from storage import database
from storage.access import audit_log as stored
from storage.access.audit_log import AuditEntry
from storage.access.sites import Site
from storage.errors import DiskFault, Unavailable

__all__ = ["AuditEntry"]

Page = TypeVar("Page", bound=Sized)

PAGE_ROWS = 100
CHUNK_ROWS = 1_000
NEWEST = 2**63 - 1
MAX_SUBJECT = 255  # characters, as PostgreSQL indexes no long text
SHORTENED = {4: 24, 6: 48}  # bits of an address that are kept


@dataclass(frozen=True)
class Actor:
    """Who makes a change: the name of an operator or API key, and the network of their IP address."""

    name: str
    client_network: str = ""


COMMAND_LINE = Actor("command line")
NAMED = ": "  # between the action and the name of its tag or field
UNDONE, UNDO_REQUESTED = ", undone", ", undo requested"
ADDRESS = "(an address)"


@database.write(database.SHARED)
def record(
    actor: Actor,
    action: str,
    site: Site | None = None,
    subject: str = "",
    subjects: int = 1,
    typed: Mapping[str, str] | None = None,
    operator: str = "",
) -> None:
    """Records a change to a site or, without one, to the instance. Call it in the transaction of the change.

    `subject` is the uuid of a subscriber, or the name of something else; `subjects` is how many were changed.
    Text that an operator typed, such as values of filters, goes into `typed` alone. Addresses in these texts
    are replaced; a long subject is cut. `operator`, the address of the operator whom a change is about,
    replaces `subject`, and is stored as it is.
    """
    stored.add(
        site.id if site else None,
        actor.name,
        without_addresses(action),
        operator or without_addresses(subject)[:MAX_SUBJECT],
        subjects,
        compact_json({name: without_addresses(value) for name, value in (typed or {}).items()}),
        actor.client_network,
        clock.now_ms(),
    )


def without_addresses(text: str) -> str:
    redacted = redaction.without_addresses(text, lambda _: ADDRESS)
    return text if redacted == text else " ".join(redacted.split())


def record_export(
    site: Site, pages: Iterator[Page], actor: Actor, action: str, subject: str = ""
) -> Iterator[Page]:
    """Yields the pages of an export. At the end, even an early one, records how many rows were sent.

    Records nothing if the database is read-only then: the rows have been sent.
    """
    count, ending = 0, ", interrupted"
    try:
        for page in pages:
            count += len(page)
            yield page
        ending = ""
    finally:
        with suppress(Unavailable, DiskFault):
            record(actor, action + ending, site, subject, count)


@database.session()
def page(site: Site | None, before: int = NEWEST) -> list[AuditEntry]:
    """Up to `PAGE_ROWS` entries with ids below `before`, newest first, of a site or of the instance."""
    return stored.page(site.id if site else None, before, PAGE_ROWS)


@database.session()
def of_subject(site: Site, subject: str) -> list[AuditEntry]:
    """Up to `PAGE_ROWS` entries about a subject, such as the uuid of a subscriber, newest first."""
    return stored.of_subject(site.id, subject, PAGE_ROWS)


@database.session()
def count_since(site: Site, action: str, since: int) -> int:
    """How often something was done on a site since an instant in milliseconds."""
    return stored.count_since(site.id, action, since)


def last_undo_request(site: Site, subject: str) -> AuditEntry | None:
    """The newest entry that requests the undo of an import or a bulk action, or tells of it; or None."""
    for entry in of_subject(site, subject):
        if UNDO_REQUESTED in head(entry) or UNDONE in head(entry):
            return entry
    return None


def head(entry: AuditEntry) -> str:
    """The action of an entry, without the name of its tag or custom field."""
    return entry.act.partition(NAMED)[0]


def sweep(days: int) -> bool:
    """Deletes some entries that are older than `days` days. Returns False if there are none."""
    before = clock.now_ms() - days * DAY_MS
    with database.session():
        entry = stored.any_before(before)
    if entry:
        with database.write(database.SHARED):
            stored.delete_old(before, CHUNK_ROWS)
    return entry


def network_of(address: str) -> str:
    """The network of an IP address, such as 192.0.2.0/24; "" for any other text."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return ""
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    return str(ipaddress.ip_network(f"{parsed}/{SHORTENED[parsed.version]}", strict=False))
