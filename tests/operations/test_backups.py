"""Backups made by others: an archive that is none is refused before anything is opened."""

import hashlib
import io
import json
import tarfile

import pytest

from audience.config import Settings
from audience.errors import Refused
from audience.operations import backups
from audience.operations.openers import Openers

PEPPER = b"p" * 32


def never(_: Settings) -> None:
    raise AssertionError("opened")


def manifest(**changed):
    sha256 = {"pepper": hashlib.sha256(PEPPER).hexdigest(), "audience.db": hashlib.sha256(b"").hexdigest()}
    values = {"format": 1, "created_at": 1, "migrations": [], "rows": {}, "sha256": sha256}
    return json.dumps(values | changed).encode()


def member(name, octets=b"", type_=tarfile.REGTYPE, link=""):
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname, entry.size = type_, link, len(octets)
    return entry, octets


@pytest.mark.parametrize(("description", "secret"), [
    (manifest(), member("pepper", type_=tarfile.DIRTYPE)),
    (manifest(), member("pepper", type_=tarfile.FIFOTYPE)),
    (manifest(), member("pepper", type_=tarfile.SYMTYPE, link="/etc/hostname")),
    (manifest(), member("pepper", type_=tarfile.SYMTYPE, link="pepper")),
    (manifest(), member("pepper", type_=tarfile.LNKTYPE, link="../pepper")),
    (manifest(), member("../pepper", PEPPER)),
    (manifest(), member("pepper", PEPPER[1:])),
    (manifest(sha256={}), member("pepper", PEPPER)),
    (manifest(sha256={"pepper": [1]}), member("pepper", PEPPER)),
    (manifest(sha256=[]), member("pepper", PEPPER)),
    (manifest(format="1"), member("pepper", PEPPER)),
    (manifest(format=True, rows=None), member("pepper", PEPPER)),
    (manifest(more=1), member("pepper", PEPPER)),
    (b"[]", member("pepper", PEPPER)),
    (b"\xff\xfe", member("pepper", PEPPER)),
    (b" " * 2**20 + manifest(), member("pepper", PEPPER)),
])  # fmt: skip
def test_an_archive_that_is_no_backup_is_refused_and_leaves_nothing(tmp_path, description, secret):
    file, settings = tmp_path / "b.tar", Settings(instance=tmp_path / "instance")
    with tarfile.open(file, "w") as tar:
        for entry, octets in (member("manifest.json", description), secret, member("audience.db")):
            tar.addfile(entry, io.BytesIO(octets))
    with pytest.raises(Refused, match="not a complete backup"):
        backups.restore(settings, file, lambda *_: None, Openers(never, never))
    assert list(settings.instance.iterdir()) == []
    assert sorted(each.name for each in tmp_path.iterdir()) == ["b.tar", "instance"]
