"""The state of the database: its engine, its integrity, its size."""

from typing import NamedTuple

from storage.database import database, replica_problem, row
from storage.engines import chosen
from storage.engines.chosen import engine
from storage.opening.replica import ADVICE


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


def count_first_scheme(second_prefix: str) -> FirstScheme:
    """Counts the hashes, secrets and keys that do not begin with `second_prefix`."""
    [addresses], [webhooks], [keys] = (
        row(query, (second_prefix,))
        for query in (
            "SELECT count(*) FROM suppressions WHERE address_hash < ?",
            "SELECT count(*) FROM webhooks WHERE nonce < ?",
            "SELECT count(*) FROM keys WHERE secret_hash < ? AND revoked_at IS NULL",
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


def newest_instant() -> int:
    """The latest instant at which something was created, a subscriber changed or the audit log written.

    In milliseconds; 0 without one.
    """
    latest = (
        "SELECT max(created_at) FROM sites",
        "SELECT max(created_at) FROM keys",
        "SELECT max(created_at) FROM imports",
        "SELECT max(updated_at) FROM subscribers",
        "SELECT max(consent_at) FROM subscribers",
        "SELECT max(at) FROM audit_log",
    )
    return max(row(query)[0] or 0 for query in latest)
