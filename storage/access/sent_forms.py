"""What forms made, by the session and the name of each. Instants are in milliseconds."""

from storage.access.models import SentFormModel
from storage.database import execute, value


def result(session_id: int, form: str, since: int) -> str:
    """The id of what a form made since an instant, in milliseconds; "" if it made nothing."""
    query = "SELECT result FROM sent_forms WHERE session_id = ? AND form = ? AND created_at > ?"
    return value(query, (session_id, form, since), "")


def put(session_id: int, form: str, result: str, at: int, keep_ms: int) -> None:
    """Stores what a form made. Deletes the session's results that are older than `keep_ms`."""
    execute("DELETE FROM sent_forms WHERE session_id = ? AND created_at <= ?", (session_id, at - keep_ms))
    SentFormModel.insert(session=session_id, form=form, result=result, created_at=at).execute()
