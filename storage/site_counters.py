"""The numbers of a site. They grow in the order of commit, and depend on no clock."""

from storage.database import execute, row

TAKE = (
    "INSERT INTO site_counters (site_id, accepted, users, unsubscribers) VALUES (?, 1, 0, 0) "
    "ON CONFLICT (site_id) DO UPDATE SET accepted = site_counters.accepted + 1 RETURNING accepted"
)


def take(site_id: int) -> int:
    """The number of the caller's accepting transaction: higher than all that the site has given."""
    return int(row(TAKE, (site_id,))[0])


def accepted(site_id: int) -> int:
    """The number of the site's newest accepting transaction; 0 before the first."""
    record = row("SELECT accepted FROM site_counters WHERE site_id = ?", (site_id,))
    return int(record[0]) if record else 0


def raise_to(site_id: int, number: int) -> None:
    """Makes the next number higher than `number`."""
    execute(
        "INSERT INTO site_counters (site_id, accepted, users, unsubscribers) VALUES (?, ?, 0, 0) "
        "ON CONFLICT (site_id) "
        "DO UPDATE SET accepted = excluded.accepted WHERE site_counters.accepted < excluded.accepted",
        (site_id, number),
    )
