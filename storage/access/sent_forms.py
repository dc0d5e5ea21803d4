"""The results of forms that operators sent, by session and form. Instants are in milliseconds."""

from peewee import BigIntegerField, CompositeKey, ForeignKeyField, TextField

from storage.access.sessions import SessionModel
from storage.base_models import BaseModel
from storage.database import execute, value


class SentFormModel(BaseModel, table="sent_forms"):
    """A form sent in a session. `result` is the id of what it created; `form` is a keyed hash."""

    session = ForeignKeyField(SessionModel, on_delete="CASCADE", index=False)
    form = TextField()
    result = TextField()
    created_at = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("session", "form")


def result(session_id: int, form_hash: str, since: int) -> str:
    """The id of what the form with a hash created; "" unless the form was sent after the instant `since`."""
    query = "SELECT result FROM sent_forms WHERE session_id = ? AND form = ? AND created_at > ?"
    return value(query, (session_id, form_hash, since), "")


def put(session_id: int, form_hash: str, result: str, at: int, keep_ms: int) -> None:
    """Stores the id of what a form created. Deletes the session's results that are older than `keep_ms`."""
    execute("DELETE FROM sent_forms WHERE session_id = ? AND created_at <= ?", (session_id, at - keep_ms))
    SentFormModel.insert(session=session_id, form=form_hash, result=result, created_at=at).execute()
