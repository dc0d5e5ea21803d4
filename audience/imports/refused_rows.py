"""Refused rows of files, which are stored for a while with a mark in place of every address."""

from audience.access import site_keys
from audience.access.site_keys import decode_malformed, sent_address_hash
from audience.privacy import redaction
from audience.protocols import FileRow
from storage import database
from storage.imports import file_imports as stored
from storage.imports.file_imports import RefusedRow

MAX_HASHED = 100  # addresses of a row, whose marks have a hash; a line can hold 250,000
MARK = "sha256:"


def without_addresses(site_id: int, row: FileRow) -> RefusedRow:
    """The refused row to store, with hashes in place of addresses.

    Hashing is slow: call it outside a transaction.
    """
    email = row.email.strip()
    marks = AddressMarks(site_id)
    cells = [
        marks.mark(cell) if email and cell.strip() == email else redaction.without_addresses(cell, marks.mark)
        for cell in row.cells
    ]
    return RefusedRow(
        row.row_number, sent_address_hash(site_id, decode_malformed(email)), row.code, row.message, cells
    )


def forget(before: int, only_site: int | None) -> bool:
    """Deletes some rows that were refused before an instant. Returns False if there are none."""
    if only_site is None:
        with database.session():
            only_site = stored.site_with_refused(before)
    if only_site is None:
        return False
    with database.write(only_site):
        return stored.forget_refused(only_site, before) > 0


class AddressMarks:
    """The marks in place of the addresses of one row. Only the first `MAX_HASHED` get a keyed hash."""

    def __init__(self, site_id: int) -> None:
        self._site_id = site_id
        self._left = MAX_HASHED

    def mark(self, address: str) -> str:
        """The mark in place of an address, with its keyed hash if the row may have one more."""
        self._left -= 1
        if self._left < 0:
            return MARK
        return MARK + sent_address_hash(self._site_id, decode_malformed(address)).removeprefix(
            site_keys.SECOND
        )
