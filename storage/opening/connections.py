"""Connections of the open database: sessions on them, and what their errors mean."""

import contextlib
from collections.abc import Iterator
from threading import BoundedSemaphore, local
from typing import Any, Self

import peewee
from playhouse.pool import MaxConnectionsExceeded

from storage.engines.chosen import engine


class ThreadState(local):
    pool: Any = None  # that of the replica, while this thread reads from it


of_thread = ThreadState()


class Routes(peewee.DatabaseProxy):
    """The opened database, or the replica while this thread reads from it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(of_thread.pool, name) if of_thread.pool else super().__getattr__(name)


database: Any = Routes()


class KeptConnections:
    """Decides which threads keep their connection between sessions: the first `number` that ask."""

    def __init__(self, number: int) -> None:
        self._places = BoundedSemaphore(number)
        self._thread = local()

    def by_this_thread(self) -> bool:
        """Whether this thread keeps its connection. Its first call decides it for good."""
        if not hasattr(self._thread, "keeps"):
            self._thread.keeps = self._places.acquire(blocking=False)
        return bool(self._thread.keeps)


_kept = KeptConnections(0)


def keep_connections(number: int) -> None:
    """Lets the first `number` threads that end a session keep their connection for good.

    Call it for a newly opened database.
    """
    global _kept
    _kept = KeptConnections(number)


class session(contextlib.ContextDecorator):  # noqa: N801 - used as the function that it was
    """A context with a connection from the pool, or the one that the thread has. It may be nested.

    Exceptions of peewee and the driver become those of storage, such as `Unavailable` and `Conflict`.
    """

    def _recreate_cm(self) -> Self:
        return type(self)()

    def __enter__(self) -> None:
        opened = of_thread.pool or database.obj
        self._opened = opened.is_closed() or engine.is_lost(opened)
        if self._opened:
            with _translate_errors():
                opened.close()
                opened.connect()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: Any) -> None:
        """Closes the connection that this session opened, unless the thread keeps it. Always closes it after
        an exception.

        Also closes a connection that an exception left stuck in a transaction. Raises the exception as one of
        storage.
        """
        keeps = kind is None and (not self._opened or _kept.by_this_thread())
        if not keeps and (self._opened or engine.is_stuck(database)):
            database.close()
        if isinstance(error, Exception):
            with _translate_errors():
                raise error


@contextlib.contextmanager
def _translate_errors() -> Iterator[None]:
    """Replaces exceptions of peewee and the driver by those of storage."""
    try:
        with vars(peewee)["__exception_wrapper__"]:
            yield
    except (peewee.DatabaseError, peewee.InterfaceError, MaxConnectionsExceeded, engine.Error) as error:
        raise engine.meaning(error) from error
