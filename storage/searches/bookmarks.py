"""Places in long lists of subscribers: the date and id of every 1,000th row, newest first.

A page far down a list starts from the place before it. A place is good while nothing in the database changes,
whoever changes it; a list that changes again and again gets none.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock

from storage.opening.connections import watch

STEP = 1_000
MAX_LISTS = 16  # per process, each of up to 100 bytes for every `STEP` rows

Mark = tuple[int, int]  # `created_at` and id
Next = Callable[[Mark | None], Mark | None]  # the mark `STEP` rows further; None if the list ends before it


class Bookmarks:
    """The marks of the lists that this process has read far, as long as they are good."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._version: object = None
        self._lists: OrderedDict[Hashable, list[Mark]] = OrderedDict()

    def is_quiet(self, version: object) -> bool:
        """Whether nothing has changed since the last call; if so, marks are worth making."""
        with self._lock:
            if version != self._version:
                self._version = version
                self._lists.clear()
                return False
            return True

    def reach(self, version: object, list_: Hashable, rows: int, step: Next) -> tuple[Mark | None, int]:
        """The last mark within so many rows of the beginning, and the number of rows up to it.

        New marks are kept only if no thread has asked about another `version` meanwhile.
        """
        with self._lock:
            marks = list(self._lists.get(list_, ()))
        while len(marks) < rows // STEP:
            mark = step(marks[-1] if marks else None)
            if mark is None:
                break
            marks.append(mark)
        count = min(len(marks), rows // STEP)
        self._keep(version, list_, marks)
        return (marks[count - 1] if count else None), count * STEP

    def _keep(self, version: object, list_: Hashable, marks: list[Mark]) -> None:
        with self._lock:
            if version != self._version:
                return
            if len(marks) > len(self._lists.get(list_, ())):
                self._lists[list_] = marks
            if list_ in self._lists:
                self._lists.move_to_end(list_)
            while len(self._lists) > MAX_LISTS:
                self._lists.popitem(last=False)


bookmarks = Bookmarks()
version = watch.version
