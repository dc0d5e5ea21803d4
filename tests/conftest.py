"""Fixtures that every room's tests share."""

import os
import shutil

import pytest

from app import create_app
from audience.checks.geo_table import FILE, open_table
from audience.config import Settings
from storage import database
from tests.door import Fit, Patient, Rung, open_door

REQUIRED = frozenset(filter(None, os.environ.get("AUDIENCE_REQUIRE", "").split(",")))
PROGRAMS = {"chromium": "chromium", "curl": "curl", "nsd": "nsd", "rbldnsd": "rbldnsd"}


def program(name: str) -> str:
    """The path of a Debian package's program; skips the test without it, fails it under AUDIENCE_REQUIRE."""
    found = shutil.which(PROGRAMS[name], path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if found:
        return found
    reason = f"needs the Debian package {name}: apt-get install {name}"
    if name in REQUIRED:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def geo_table(tmp_path_factory):
    """The path of the bundled geolocation table, packed."""
    instance = tmp_path_factory.mktemp("geo")
    open_table(instance)
    return instance / FILE


@pytest.fixture
def settings(tmp_path):
    return Settings(instance=tmp_path)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory):
    """An empty database, brought up to date once."""
    file = tmp_path_factory.mktemp("migrated") / "audience.db"
    database.open(f"sqlite:///{file}")
    database.migrate()
    database.close()
    return file


@pytest.fixture
def app(settings, migrated):
    shutil.copy(migrated, settings.instance / migrated.name)
    application = create_app(settings, Rung(), Patient(), Fit())
    yield application
    database.close()


@pytest.fixture
def door(app):
    """The owner of a site."""
    return open_door(app.test_client())


@pytest.fixture
def stranger(app):
    """The owner of another site on the same instance."""
    return open_door(app.test_client())
