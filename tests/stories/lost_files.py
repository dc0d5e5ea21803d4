"""Instances in use, some of whose files are lost, and commands that are run on the rest."""

import contextlib
import io
import json
import os
import secrets
from functools import partial
from types import SimpleNamespace

import pytest

import app
from audience import config
from storage import database
from tests.service import environment, free_port
from tests.stories.test_starts import type_ as type_in_a_process

LOSS = "no key works and no erasure is recognised"
MISSING = f"the pepper is missing, without which {LOSS}: put {{folder}}/pepper back from any backup"
OTHER = f"the pepper is not this database's, so that {LOSS}: put {{folder}}/pepper back from any backup"
NO_DATABASE = (
    "the database is missing, and with it every site, subscriber and key: put {folder}/audience.db back"
)
OTHER_LOG = (
    "the log of erasures is another instance's, so that no restore repeats this one's: "
    "put {folder}/erasures.log back"
)
NO_INSTANCE = "there is no instance in {folder}: "
NEITHER = "pepper and database are missing, and the log of erasures is there: put {folder}/pepper and"


def type_(folder, *words, **settings):
    """Runs a command as `audience` does, in this process unless it starts others. Returns its exit status and
    output.
    """
    if words[0] == "serve":
        return type_in_a_process(folder, *words, **settings)
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "environ", environment(folder, free_port(), **settings))
        patch.setattr(config, "load", partial(config.load, os.environ))
        patch.setattr("sys.argv", ["audience", *words])
        umask = os.umask(0o077)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                app.main()
        except SystemExit as end:
            out.seek(0)
            return SimpleNamespace(returncode=end.code, stdout=out.read(), stderr=err.getvalue())
        finally:
            os.umask(umask)
            database.close()


def made(folder):
    """Makes an instance with a site, a key, a subscriber and an erased one. Returns the keys, as JSON."""
    created = type_(folder, "site", "create", "News", "--json")
    assert created.returncode == 0, created.stderr
    first = json.loads(created.stdout)
    (folder / "first-site.json").write_text(created.stdout)
    for email in ("ann@example.com", "bob@example.com"):
        (folder / "people.csv").write_text(f"email\n{email}\n")
        assert (
            type_(
                folder,
                "import",
                str(folder / "people.csv"),
                "--site",
                first["site_uuid"],
                "--consent",
                "subscribed",
            ).returncode
            == 0
        )
    erased = type_(folder, "subscriber", "erase", "bob@example.com", "--site", first["site_uuid"], "--yes")
    assert erased.returncode == 0, erased.stderr
    return first


def delete_pepper(folder):
    (folder / "pepper").unlink()


def replace_pepper(folder):
    (folder / "pepper").write_bytes(secrets.token_bytes(32))


def shorten_pepper(folder):
    (folder / "pepper").write_bytes(b"salt")


def delete_database(folder):
    (folder / "audience.db").unlink()


def empty_database(folder):
    (folder / "audience.db").write_bytes(b"")


def replace_log(folder):
    line = {"site_uuid": "3c7f5f0e-0000-4000-8000-000000000000", "address_hash": "0" * 64, "at": 1}
    (folder / "erasures.log").write_text(json.dumps(line | {"pepper_check": "1" * 64}) + "\n")


def contents(folder):
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.is_file() and path.name in ("pepper", "audience.db", "first-site.json", "erasures.log")
    }


def sentence(text, folder):
    return f"audience: {text.format(folder=folder)}"


def site_of(folder):
    return json.loads(type_(folder, "site", "list", "--json").stdout)[0]["site_uuid"]
