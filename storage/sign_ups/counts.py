"""How many sign-ups of a form had which outcome in each hour."""

from peewee import CompositeKey, IntegerField, TextField

from storage.base_models import BaseModel
from storage.database import column, execute, row, rows

HOUR_MS = 3_600_000
SITES = (
    "SELECT s.site_id FROM site_counters AS s WHERE EXISTS "
    "(SELECT 1 FROM sign_up_counts c WHERE c.site_id = s.site_id"
)


class SignUpCountModel(BaseModel, table="sign_up_counts"):
    """How many sign-ups by a form had an outcome in an hour. `hour` is the number of hours since 1970."""

    site_id = IntegerField()
    hour = IntegerField()
    form_id = IntegerField()
    outcome = TextField()
    number = IntegerField()

    class Meta:
        primary_key = CompositeKey("site_id", "hour", "form_id", "outcome")
        without_rowid = True


def add(site_id: int, form_id: int, outcome: str, at: int, number: int = 1) -> None:
    """Adds to an outcome's count in the hour of `at` (milliseconds), in the caller's transaction."""
    execute(
        "INSERT INTO sign_up_counts (site_id, form_id, hour, outcome, number) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (site_id, form_id, hour, outcome) DO UPDATE SET "
        "number = sign_up_counts.number + excluded.number",
        (site_id, form_id, at // HOUR_MS, outcome, number),
    )


def has(site_id: int, outcome: str, at: int) -> bool:
    """Whether a site has had an outcome since the start of the hour of `at` (milliseconds)."""
    query = "SELECT 1 FROM sign_up_counts WHERE site_id = ? AND hour >= ? AND outcome = ? LIMIT 1"
    return row(query, (site_id, at // HOUR_MS, outcome)) is not None


def since(site_id: int, at: int) -> list[tuple[int, int, str, int]]:
    """The (form id, start of the hour, outcome, number) since the hour of `at`, in milliseconds."""
    records = rows(
        "SELECT form_id, hour, outcome, number FROM sign_up_counts WHERE site_id = ? AND hour >= ? "
        "ORDER BY form_id, hour, outcome",
        (site_id, at // HOUR_MS),
    )
    return [(form_id, hour * HOUR_MS, outcome, number) for form_id, hour, outcome, number in records]


def site_ids_with(outcome: str, at: int) -> list[int]:
    """The ids of the sites that have had an outcome since the start of the hour of `at` (milliseconds)."""
    return column(f"{SITES} AND c.hour >= ? AND c.outcome = ?) ORDER BY 1", (at // HOUR_MS, outcome))


def site_ids_before(at: int) -> list[int]:
    """The ids of the sites with counts from before the hour of `at` (milliseconds)."""
    return column(f"{SITES} AND c.hour < ?) ORDER BY 1", (at // HOUR_MS,))


def delete_before(site_id: int, at: int) -> None:
    execute("DELETE FROM sign_up_counts WHERE site_id = ? AND hour < ?", (site_id, at // HOUR_MS))
