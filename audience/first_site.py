"""The first site of a new instance, and the one file where a secret is kept: `first-site.json`."""

import json
import os
from contextlib import suppress
from pathlib import Path

from audience import sites
from audience.config import Settings
from audience.sites import NewKey
from storage import database

FILE = "first-site.json"


def ensure(settings: Settings) -> dict[str, str] | None:
    """Creates a site with a full key when there is none; what was created, or None.

    The file is on disk before the site is: a crash between the two leaves no site whose keys nobody knows.
    """
    with database.write():
        if sites.every():
            return None
        site = sites.create("My first site")
        key = sites.create_key([site])
        shown = {
            "base_url": settings.base_url,
            "site_uuid": site.uuid,
            "publishable_key": key.publishable_key,
            "secret_key": key.secret_key,
        }
        _keep(settings.instance / FILE, shown)
        return shown


@database.write()
def revoke(instance: Path, publishable_key: str) -> None:
    """Revokes a key, whose secret is off the disk before it is done. Raises `NotFound`."""
    sites.revoke_key(publishable_key)
    forget(instance, publishable_key)


@database.write()
def rotate(instance: Path, publishable_key: str, overlap: int) -> NewKey:
    """Replaces a key, as `sites.rotate_key`; its secret is off the disk before it is done."""
    new = sites.rotate_key(publishable_key, overlap)
    forget(instance, publishable_key)
    return new


def forget(instance: Path, publishable_key: str) -> None:
    """Deletes the file when it holds that key, or none that can be read."""
    file = instance / FILE
    if file.exists():
        shown = _kept(file)
        if shown is None or shown["publishable_key"] == publishable_key:
            file.unlink()


def forget_ended(instance: Path) -> None:
    """Deletes the file when the key in it is good no more, or none can be read."""
    file = instance / FILE
    if file.exists():
        shown = _kept(file)
        if shown is None or sites.authenticate(shown["publishable_key"], shown["secret_key"]) is None:
            file.unlink()


def _kept(file: Path) -> dict[str, str] | None:
    """The keys in the file; None where it is damaged."""
    with suppress(ValueError, LookupError, TypeError):
        shown = json.loads(file.read_text("utf-8"))
        return {name: str(shown[name]) for name in ("publishable_key", "secret_key")}
    return None


def _keep(file: Path, shown: dict[str, str]) -> None:
    draft = file.with_suffix(".new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
        json.dump(shown, handle, indent=2)
        handle.flush()
        os.fsync(handle.fileno())
    draft.replace(file)
