"""The replica: a standby of the database, from which long reads are read while it is not behind."""

import contextlib
import time
from collections.abc import Iterator, Sequence
from threading import Thread
from typing import Any

from storage.engines import chosen
from storage.engines.chosen import engine
from storage.errors import Unusable
from storage.opening.connections import database, of_thread, session

WAIT_SECONDS, CATCH_UP_SECONDS = 0.05, 0.5
ANSWER_SECONDS = 15.0  # for which each read waits, before it is done anew on the primary
UNFINISHED = "site_id = ? AND status IN ('queued', 'running')"
STATE = (  # of a site: while the replica has the same, its answers are those of the primary
    "SELECT s.uuid, s.time_zone, c.accepted, c.changes, c.oldest_change, c.users, c.unsubscribers, "
    "(SELECT sum(updated_at) FROM segments WHERE site_id = ?), "
    "(SELECT sum(updated_at) FROM reports WHERE site_id = ?), "
    f"(SELECT sum(applied) FROM imports WHERE {UNFINISHED}), "
    f"(SELECT count(*) FROM imports WHERE {UNFINISHED}), "
    "(SELECT max(id) FROM tags WHERE site_id = ?), (SELECT count(*) FROM tags WHERE site_id = ?), "
    "(SELECT max(id) FROM tag_renames WHERE site_id = ?), (SELECT max(id) FROM schema_migration) "
    "FROM site_counters AS c JOIN sites AS s ON s.id = c.site_id WHERE c.site_id = ?"
)
NO_SERVER = "database_read_url needs a database on a server: remove it, or set AUDIENCE_DATABASE_URL"
ANOTHER = "database_read_url leads to another database: name a standby that follows the one of database_url"
PROMOTED = "the read replica was promoted and no longer follows the primary"
SILENT = "the read replica does not answer"
BEHIND = "the read replica is behind"
ADVICE = "The primary is read instead: check the replica's log and network, and AUDIENCE_DATABASE_READ_URL."


class Replica:
    """A pool of connections to the replica."""

    def __init__(self, pool: Any) -> None:
        self._pool, self._connecting = pool, Thread()

    @contextlib.contextmanager
    def asked(self, sql: str, parameters: Sequence[Any], seconds: float) -> Iterator[Any]:
        """A context in which this thread has the connection that answered a query. Yields the first row, or
        None if the replica does not answer within `seconds`.
        """
        row = None
        try:
            if self._is_reached(seconds):
                with contextlib.suppress(Exception):  # whatever is wrong with the replica: it is not read
                    self._pool.connect()
                    self._pool.limit_answers(seconds)
                    query = engine.rewrite(sql)
                    row = self._pool.execute_sql(query, parameters, **engine.KEEPS_PLAN).fetchone()
                    self._pool.limit_answers(ANSWER_SECONDS)
            yield row
        finally:
            if not self._pool.is_closed():
                self._pool.close()

    def _is_reached(self, seconds: float) -> bool:
        """Whether a connection is free. If none is, waits `seconds` for a new one, unless a thread does."""
        if not self._pool.has_free() and not self._connecting.is_alive():
            self._connecting = Thread(target=self._connect, daemon=True)
            self._connecting.start()
            self._connecting.join(seconds)
        return bool(self._pool.has_free())

    def _connect(self) -> None:
        """Runs in a thread of its own: connecting knows no limit this short."""
        with contextlib.suppress(Exception):
            self._pool.connect()
            self._pool.close()

    @contextlib.contextmanager
    def reads(self, site_id: int) -> Iterator[bool]:
        """A context in which this thread reads from the replica, if that has the site's state. Yields whether
        it does.
        """
        ids = [site_id] * STATE.count("?")
        with session():
            state = database.execute_sql(engine.rewrite(STATE), ids, **engine.KEEPS_PLAN).fetchone()
        with self.asked(STATE, ids, WAIT_SECONDS) as row:
            of_thread.pool = self._pool if row and row == state else None
            try:
                yield of_thread.pool is not None
            finally:
                of_thread.pool = None

    @session()
    def problem(self) -> str:
        """Why the replica is not read; "" if it is."""
        position, own = database.execute_sql(engine.POSITION).fetchone(), engine.identity(database)
        deadline = time.monotonic() + CATCH_UP_SECONDS
        while time.monotonic() < deadline:
            with self.asked(engine.HAS_REACHED, position, CATCH_UP_SECONDS) as row:
                if row is None:
                    return SILENT
                if engine.identity(self._pool) != own:
                    return ANOTHER
                if row[1]:
                    return PROMOTED
                if row[0]:
                    return ""
        return BEHIND

    def close(self) -> None:
        self._pool.close_all()


def open(url: str, read_url: str, *options: Any) -> Replica | None:
    """The replica at `read_url`; None without one. `options` are those of the database, at `url`. Raises
    `Unusable`.
    """
    if read_url and not chosen.engine_of(url).HAS_HOSTS:
        raise Unusable(NO_SERVER)
    try:
        return Replica(chosen.engine_of(read_url).open(read_url, *options)) if read_url else None
    except Unusable as error:
        raise Unusable(str(error).replace("database_url", "database_read_url")) from None
