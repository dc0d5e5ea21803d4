"""Allow and deny lists of sites."""

from collections.abc import Sequence

from storage.database import execute, marks, rows


def entries(site_id: int) -> list[tuple[str, str]]:
    """(kind, entry), oldest first."""
    return rows("SELECT kind, entry FROM address_lists WHERE site_id = ? ORDER BY id", (site_id,))


def matching(site_id: int, names: Sequence[str]) -> list[tuple[str, str]]:
    """The (kind, entry) pairs whose entry is in `names`; what is no text matches nothing."""
    names = list(filter(is_text, names))
    return rows(
        f"SELECT kind, entry FROM address_lists WHERE site_id = ? AND entry IN ({marks(names)})",
        (site_id, *names),
    )


def put(site_id: int, kind: str, entry: str, at: int) -> bool:
    """False if the list had it already."""
    changed = execute(
        "INSERT INTO address_lists (site_id, kind, entry, created_at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (site_id, entry) DO UPDATE SET kind = excluded.kind "
        "WHERE address_lists.kind <> excluded.kind",
        (site_id, kind, entry, at),
    )
    return bool(changed)


def remove(site_id: int, entry: str) -> bool:
    return bool(execute("DELETE FROM address_lists WHERE site_id = ? AND entry = ?", (site_id, entry)))


def is_text(name: str) -> bool:
    """Whether a database stores it: without NUL and half surrogate pairs."""
    return "\0" not in name and name == name.encode(errors="ignore").decode()
