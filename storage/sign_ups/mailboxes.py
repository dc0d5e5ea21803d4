"""When mailboxes and domains were last sent mails, by keyed hash. Instants are in milliseconds."""

import json
from collections.abc import Sequence

from peewee import BigIntegerField, TextField

from storage.base_models import BaseModel
from storage.database import execute, value

TIMES = "SELECT times FROM mailbox_counts WHERE hash = ?"
LOCK = (
    "INSERT INTO mailbox_counts (hash, times, last_at) VALUES (?, '[]', ?) "
    "ON CONFLICT (hash) DO UPDATE SET last_at = mailbox_counts.last_at"
)


class MailboxCountModel(BaseModel, table="mailbox_counts"):
    """`times` is a JSON list of instants. The keyed hash is of a mailbox over all sites, or of a site's
    mailbox or domain.
    """

    hash = TextField(primary_key=True)
    times = TextField()
    last_at = BigIntegerField(index=True)

    class Meta:
        without_rowid = True


def times(mailbox_hash: str) -> list[int]:
    """The instants at which a mailbox was last sent mails, oldest first."""
    return list(json.loads(value(TIMES, (mailbox_hash,), "[]")))


def locked_times(mailbox_hash: str, now: int) -> list[int]:
    """The same as `times`, locked: no other transaction changes them until the caller's transaction ends."""
    execute(LOCK, (mailbox_hash, now))
    return times(mailbox_hash)


def put(mailbox_hash: str, instants: Sequence[int]) -> None:
    """Replaces the instants of a mailbox that `locked_times` has locked: oldest first, at least one."""
    execute(
        "UPDATE mailbox_counts SET times = ?, last_at = ? WHERE hash = ?",
        (json.dumps(instants), instants[-1], mailbox_hash),
    )


def delete_old(before: int) -> None:
    execute("DELETE FROM mailbox_counts WHERE last_at < ?", (before,))
