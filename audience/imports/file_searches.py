"""Searches waiting files for subscribers who were erased since the file was sent. A file that mentions one is
deleted.
"""

import logging
import re
import tempfile
import unicodedata
from collections.abc import Iterator, Set
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path

from audience import addresses, jobs
from audience.access import site_keys
from audience.access.sites import Site
from audience.addresses import MAX_ADDRESS_BYTES, MAX_LOCAL_BYTES
from audience.errors import NotFound, where
from audience.imports import file_imports, file_uploads
from audience.jobs import LONG, MACHINE_FAULTS, ClaimLost, Job
from audience.privacy import redaction
from audience.protocols import TextOpener
from schemas.values import FormError, compact_json
from storage import database
from storage.erasures import suppressions
from storage.imports import file_uploads as stored
from storage.imports.file_uploads import FileUpload
from storage.instance import erased_pages

log = logging.getLogger(__name__)
BATCH_TEXTS = 500
HAS_ERASED = (
    "Somebody in this file was erased after you sent it, so the file was deleted. Choose the file "
    "again: erased people are not imported, and your answers are kept."
)
UNREADABLE = (
    "Somebody was erased after you sent this file. The file could not be searched for that person, "
    "so it was deleted. Choose the file again; your answers are kept."
)
DOMAIN = re.compile(rf"[^\s!-,/:-@\[-`{{-~]{{1,{MAX_ADDRESS_BYTES}}}")  # of letters of any script


def search(site: Site, upload: FileUpload, job: Job, instance: Path, open_texts: TextOpener) -> None:
    """Searches a file for the subscribers erased since `upload.to_search`. Deletes the file if it mentions
    one, or cannot be searched.

    Otherwise stores the erasure from which the next search begins, 0 if none came since. Raises `ClaimLost`,
    `MACHINE_FAULTS`.
    """
    with database.session():
        erased = suppressions.erasures_from(site.id, upload.to_search)
    why = _why_deleted(site, upload, job, instance, open_texts, erased.keys())
    with database.write(site.id):
        jobs.hold(job, LONG)
        is_dropped = bool(why) and stored.drop(site.id, upload.id, compact_json({"problem": why}))
        if is_dropped:
            erased_pages.request(instance)
        if not why:
            later = 1 + max(erased.values(), default=upload.to_search)
            stored.put_searched(
                site.id, upload.id, later if suppressions.erasures_from(site.id, later) else 0
            )
    if is_dropped:
        file_uploads.remove_file(site, instance, upload)
        file_imports.forget(site, upload.file)
        erased_pages.run(instance)


def _why_deleted(
    site: Site, upload: FileUpload, job: Job, instance: Path, open_texts: TextOpener, erased: Set[str]
) -> str:
    """Searches a file for `erased` hashes. Returns why it must be deleted; "" if it stays.

    Raises `ClaimLost`, `MACHINE_FAULTS`.
    """
    try:
        with (
            file_uploads.open_content(site, instance, upload) as binary,
            tempfile.TemporaryFile(dir=instance) as unpacked,
            closing(open_texts(file_uploads.reading_of(upload), binary, unpacked)) as texts,
        ):
            for number, text in enumerate(texts, 1):
                if any(
                    not erased.isdisjoint(site_keys.address_hashes(site.id, key)) for key in keys_in(text)
                ):
                    return HAS_ERASED
                if number % BATCH_TEXTS == 0:
                    with database.write(site.id):
                        jobs.hold(job, LONG)
    except NotFound:
        return file_uploads.GONE
    except (ClaimLost, *MACHINE_FAULTS):
        raise
    except Exception as error:
        if not isinstance(error, FormError):
            log.error("file %d was not searched: %s", upload.id, where(error))
        return UNREADABLE
    return ""


def keys_in(text: str) -> set[str]:
    """The normal forms of all parts of a text that may be addresses, even if encoded."""
    texts = (text, *redaction.addresses_in(text))
    spellings = set(chain.from_iterable(map(_around_signs, texts)))
    keys = set()
    for address in spellings:
        with suppress(addresses.MalformedAddress):
            keys.add(addresses.identity(address))
    return keys


def _around_signs(text: str) -> Iterator[str]:
    """Yields the texts around each @ that may be addresses, whatever marks surround them."""
    for at in redaction.AT.finditer(text):
        if domain := DOMAIN.match(text, at.end()):
            for local in _locals(text[max(0, at.start() - MAX_LOCAL_BYTES) : at.start()]):
                for end in {len(domain[0]), _end(domain[0])}:
                    yield f"{local}@{domain[0][:end].rstrip('.-')}"


def _locals(before: str) -> Iterator[str]:
    """Yields the endings of a text that may be a local part: whole words, without blank and @."""
    for index in range(len(before) - 1, -1, -1):
        if before[index].isspace() or before[index] == "@":
            return
        if index == 0 or not (before[index - 1].isalnum() and before[index].isalnum()):
            yield before[index:]


def _end(domain: str) -> int:
    """Where a domain ends: at a mark, such as a full-width comma, that follows it without a blank."""
    return next((index for index, letter in enumerate(domain) if not _is_of_name(letter)), len(domain))


def _is_of_name(letter: str) -> bool:
    return letter.isalnum() or letter in ".-\u3002\uff0e\uff61" or unicodedata.category(letter)[0] == "M"
