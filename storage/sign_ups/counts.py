"""How many sign-ups of a form had which outcome in each hour."""

from storage.database import execute, rows

HOUR_MS = 3_600_000


def add(site_id: int, form_id: int, outcome: str, at: int, number: int = 1) -> None:
    """Adds `number` sign-ups to the count of an outcome in the hour of `at`, in milliseconds. Call it in the
    transaction of the outcome.
    """
    execute(
        "INSERT INTO sign_up_counts (site_id, form_id, hour, outcome, number) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (site_id, form_id, hour, outcome) DO UPDATE SET "
        "number = sign_up_counts.number + excluded.number",
        (site_id, form_id, at // HOUR_MS, outcome, number),
    )


def since(site_id: int, at: int) -> list[tuple[int, int, str, int]]:
    """The (form id, start of the hour, outcome, number) of all hours from that of `at` on, in
    milliseconds.
    """
    records = rows(
        "SELECT form_id, hour, outcome, number FROM sign_up_counts WHERE site_id = ? AND hour >= ? "
        "ORDER BY form_id, hour, outcome",
        (site_id, at // HOUR_MS),
    )
    return [(form_id, hour * HOUR_MS, outcome, number) for form_id, hour, outcome, number in records]
