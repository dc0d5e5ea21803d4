"""Imports of files: received batch by batch, accepted when they are whole (contract section 1, issue 4).

Until then the import is `receiving`: nothing of it is applied, and nothing stays where the file does not come
whole.
"""

import json
import re
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from audience import addresses, clock, pepper, subscribers
from audience.errors import Away, NotFound
from audience.ports import Doorbell
from audience.sites import Site
from audience.subscribers import Outcome
from storage import database
from storage import files as stored
from storage import imports as stored_imports
from storage.files import RefusedRow

__all__ = ["RefusedRow"]

BATCH = 1_000
MINUTE = 60_000  # milliseconds
LEASE = 60 * MINUTE
RESUME = 30 * 24 * 60 * MINUTE
KEPT = 30 * 24 * 60 * MINUTE
ADDRESS = re.compile(r"[^\s@,;<>()\"']*@[^\s@,;<>()\"']*")
GIVEN_UP = "The import was given up because the file came too slowly: send the file again."


class Row(Protocol):
    """One row of a file: the item to import, or None and what is wrong with it."""

    row_number: int
    email: str
    item: dict[str, Any] | None
    code: str
    message: str
    cells: list[str]


Rows = Generator[Row, None, None]


@dataclass
class Reception:
    """A file that is received as an import; `taken` rows of it are kept already, all of them once `whole`."""

    site: Site
    import_id: int
    lease: int
    taken: int = 0
    whole: bool = False
    _renew_at: int = 0

    def hold(self) -> None:
        """To be called now and then while the file comes: an import that nobody holds is given up."""
        at = clock.now()
        if at >= self._renew_at:
            with database.write():
                self._count(0, 0, at)

    def keep(self, rows: Rows) -> None:
        """Keeps all rows but the first `taken`, batch by batch."""
        good: list[dict[str, Any]] = []
        refused: list[Row] = []
        with closing(rows):
            for row in islice(rows, self.taken, None):
                if row.item is None:
                    refused.append(row)
                else:
                    good.append(row.item)
                if len(good) == BATCH or len(refused) == BATCH:
                    self._keep(good, refused)
                    good, refused = [], []
        self._keep(good, refused)

    @database.write()
    def _keep(self, good: list[dict[str, Any]], refused: list[Row]) -> None:
        at = clock.now()
        found = stored_imports.by_id(self.site.id, self.import_id)
        if good and found is not None:
            stored_imports.add_batch(self.site.id, self.import_id, found.rows, json.dumps(good))
        stored.refuse(self.site.id, self.import_id, (_anonymous(self.site.id, row) for row in refused), at)
        self._count(len(good), len(refused), at)

    def _count(self, rows: int, refused: int, at: int) -> None:
        if not stored.receive(self.site.id, self.import_id, rows, refused, at + self.lease):
            raise Away(GIVEN_UP)
        self._renew_at = at + MINUTE

    def discard(self) -> None:
        """Leaves nothing of a file that does not come whole."""
        _discard(self.site.id, self.import_id)

    def accept(self, columns: Sequence[str], doorbell: Doorbell | None = None) -> None:
        """The file is whole: its turn comes."""
        with database.write():
            if not stored.accept(self.site.id, self.import_id, list(columns), clock.now()):
                raise Away(GIVEN_UP)
        if doorbell:
            doorbell.ring(self.site.id)


@contextmanager
def receiving(site: Site) -> Iterator[Reception]:
    """An import that is being received, and is gone where the file does not come whole."""
    at = clock.now()
    with database.write():
        reception = Reception(site, stored.begin(site.id, None, at, at + LEASE), LEASE)
    try:
        yield reception
    except BaseException:
        reception.discard()
        raise


@database.write()
def resume(site: Site, source: str) -> Reception:
    """An import of a file that is known by `source`: the one that was interrupted, or a new one."""
    at = clock.now()
    import_id = stored.unfinished(site.id, source)
    if import_id is None:
        return Reception(site, stored.begin(site.id, source, at, at + RESUME), RESUME)
    found = stored_imports.by_id(site.id, import_id)
    taken = found.rows + found.refused if found else 0
    return Reception(site, import_id, RESUME, taken, whole=found is None or found.status != "receiving")


def _discard(site_id: int, import_id: int) -> None:
    """Part by part, so that others can write in between."""
    left = True
    while left:
        with database.write():
            left = stored.discard(site_id, import_id)


def foresee(site: Site, rows: Rows) -> Counter[str]:
    """What would become of rows, by outcome and `refused`; nothing is written.

    Keeps a number for each address that would be created: one that comes again would be updated.
    """
    counts: Counter[str] = Counter()
    created: set[int] = set()
    with closing(rows):
        while batch := list(islice(rows, BATCH)):
            _foresee(site.id, batch, created, counts)
    return counts


def _foresee(site_id: int, batch: list[Row], created: set[int], counts: Counter[str]) -> None:
    at = clock.now()
    changes = [subscribers.change(row.item, at) for row in batch if row.item is not None]
    counts["refused"] += len(batch) - len(changes)
    for change, outcome in zip(changes, subscribers.foresee(site_id, changes), strict=True):
        again = outcome is Outcome.CREATED and hash(change.key) in created
        counts[Outcome.UPDATED if again else outcome] += 1
        if outcome is Outcome.CREATED:
            created.add(hash(change.key))


def _anonymous(site_id: int, row: Row) -> RefusedRow:
    """What is kept of a refused row: no address, in whatever cell."""
    email = row.email.strip()
    cells = [
        address_mark(site_id, cell)
        if email and cell.strip() == email
        else ADDRESS.sub(lambda match: address_mark(site_id, match[0]), cell)
        for cell in row.cells
    ]
    return RefusedRow(row.row_number, _hash(site_id, email), row.code, row.message, cells)


def address_mark(site_id: int, address: str) -> str:
    return f"sha256:{_hash(site_id, address)}"


def _hash(site_id: int, address: str) -> str:
    try:
        return pepper.address_hash(site_id, addresses.identity(address))
    except addresses.MalformedAddress:
        return pepper.address_hash(site_id, address.strip().lower())


def columns(site: Site, import_id: int) -> list[str]:
    """The columns of the file of an import. Raises `NotFound`."""
    with database.session():
        found = stored.columns(site.id, import_id)
    if found is None:
        raise NotFound("Import not found: GET /v1/batch/imports lists the newest of the site.")
    return found


def refused(site: Site, import_id: int) -> Iterator[RefusedRow]:
    """The refused rows of an import, in order, a page at a time."""
    after = 0
    while True:
        with database.session():
            page = stored.refused_page(site.id, import_id, after)
        if not page:
            return
        yield from (row for _, row in page)
        after = page[-1][0]


def sweep() -> None:
    """Forgets imports that nobody receives any more, and refused rows after 30 days."""
    at = clock.now()
    with database.session():
        abandoned, stale = stored.abandoned(at), stored.refused_before(at - KEPT)
    for site_id, import_id in abandoned:
        _discard(site_id, import_id)
    while stale:
        with database.write():
            stale = stored.forget_refused(at - KEPT) > 0
