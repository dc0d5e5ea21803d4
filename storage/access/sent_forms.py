"""What forms made, by the session and the name of each. Instants are in milliseconds."""

from storage.database import execute, row


def result(session_id: int, form: str, since: int) -> str:
    """The id of what a form made since an instant, "" if nothing."""
    record = row(
        "SELECT result FROM sent_forms WHERE session_id = ? AND form = ? AND created_at > ?",
        (session_id, form, since),
    )
    return record[0] if record else ""


def put(session_id: int, form: str, result: str, at: int, keep_ms: int) -> None:
    """Forgets those of the session that are older than `kept`."""
    execute("DELETE FROM sent_forms WHERE session_id = ? AND created_at <= ?", (session_id, at - keep_ms))
    execute(
        "INSERT INTO sent_forms (session_id, form, result, created_at) VALUES (?, ?, ?, ?)",
        (session_id, form, result, at),
    )
