"""The state of the database: its engine, its integrity, its size."""

from typing import NamedTuple

from storage.database import database, replica_problem, row
from storage.engines import chosen
from storage.engines.chosen import engine
from storage.opening.replica import ADVICE
from storage.sql import Sql, rows_of


class Pages(NamedTuple):
    """The pages of a database: `size` in bytes each; `free` of the `total` are unused, None if unknown."""

    size: int
    total: int
    free: int | None


class FirstScheme(NamedTuple):
    """How many address hashes, webhook secrets and active API keys were made before sites had keys of their
    own.
    """

    addresses: int
    webhooks: int
    keys: int


def count_first_scheme(second_prefix: str, site_id: int | None) -> FirstScheme:
    """Counts the hashes and secrets of a site, or of all, and the keys that do not begin with
    `second_prefix`.
    """
    of, every = rows_of(site_id), Sql("TRUE")
    [addresses], [webhooks], [keys] = (
        row(f"{query} AND {among.text}", (second_prefix, *among.parameters))
        for query, among in (
            ("SELECT count(*) FROM suppressions WHERE address_hash < ?", of),
            ("SELECT count(*) FROM webhooks WHERE nonce < ?", of),
            ("SELECT count(*) FROM keys WHERE secret_hash < ? AND revoked_at IS NULL", every),
        )
    )
    return FirstScheme(addresses, webhooks, keys)


def engine_name(url: str) -> str:
    """The name of the database's engine, in small letters. Raises `Unusable`."""
    return chosen.engine_of(url).NAME


def engine_version(url: str) -> str:
    """The name and version of the engine; for a server, the supported versions and that of the driver."""
    return chosen.engine_of(url).version()


def engine_fault(url: str) -> str | None:
    """A known bug of this version of the engine, as a predicate (`has ...`); None without one."""
    return chosen.engine_of(url).version_fault()


def engine_advice(url: str) -> str:
    """The remedy for `engine_fault`."""
    return chosen.engine_of(url).version_advice()


def is_missing(url: str) -> bool:
    """Whether the database is a file that does not exist."""
    return not all(file.exists() for file in chosen.engine_of(url).files(url)[:1])


def notes() -> list[tuple[str, str]]:
    """The (fact, advice) pairs about the server and its replica; an advice may be ""."""
    problem = replica_problem()
    return engine.notes(database) + ([(problem, ADVICE)] if problem else [])


def nodes() -> list[tuple[str, str]]:
    """The (fact, advice) pairs about the server's nodes, which are all asked; an advice may be ""."""
    return engine.nodes(database)


def fault() -> str:
    """The first fault of the database; "" if none. Reads the whole database."""
    return engine.fault(database)


def pages() -> Pages:
    return Pages(*engine.page_counts(database))


def deviations() -> dict[str, str]:
    """The values, by name, of those connection settings that differ from the required ones."""
    return engine.deviations(database)


def log_bytes() -> int:
    """The size of the write-ahead log in bytes."""
    return engine.log_bytes(database)


def newest_instant(site_id: int | None) -> int:
    """The latest instant at which the audit log was written, or something created or a subscriber changed
    of a site, or of all.

    In milliseconds; 0 without one.
    """
    of, every = rows_of(site_id), Sql("TRUE")
    latest = (
        ("SELECT max(created_at) FROM sites", every),
        ("SELECT max(created_at) FROM keys", every),
        ("SELECT max(created_at) FROM imports", of),
        ("SELECT max(updated_at) FROM subscribers", of),
        ("SELECT max(consent_at) FROM subscribers", of),
        ("SELECT max(at) FROM audit_log", every),
    )
    return max(row(f"{query} WHERE {among.text}", among.parameters)[0] or 0 for query, among in latest)
