"""How the database itself is."""

from typing import NamedTuple

from storage.database import PRAGMAS, row, rows

SYNCHRONOUS = ("off", "normal", "full", "extra")


class Pages(NamedTuple):
    """`size` in bytes; `free` of the `total` pages hold nothing."""

    size: int
    total: int
    free: int


def fault() -> str:
    """The first fault of the database, empty when there is none; reads all of it."""
    found = str(rows("PRAGMA quick_check(1)")[0][0])
    return "" if found == "ok" else found


def pages() -> Pages:
    return Pages(*(row(f"PRAGMA {name}")[0] for name in ("page_size", "page_count", "freelist_count")))


def deviations() -> dict[str, str]:
    """The pragmas that are not in force as they should be, and what they are."""
    found = {
        name: _word(name, row(f"PRAGMA {name}")[0])
        for name in ("journal_mode", "synchronous", "foreign_keys")
    }
    return {name: value for name, value in found.items() if value != str(PRAGMAS[name])}


def _word(name: str, value: object) -> str:
    return SYNCHRONOUS[value] if name == "synchronous" and isinstance(value, int) else str(value)


def newest_instant() -> int:
    """The latest creation of a site, key or import, in milliseconds; 0 when there is none."""
    found = row(
        "SELECT max(COALESCE((SELECT max(created_at) FROM sites), 0), "
        "COALESCE((SELECT max(created_at) FROM keys), 0), COALESCE((SELECT max(created_at) FROM imports), 0))"
    )
    return int(found[0])
