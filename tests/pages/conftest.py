"""Fixtures of the tests of the pages for people."""

import pytest

from audience import clock
from audience.access import sites
from audience.sign_ups import steps
from tests import statements
from tests.audience.undo.test_undos import put
from tests.console.conftest import later
from tests.pages.applicant import ORIGIN, Applicant, form_of
from tests.pages.visitor import ZOE, Visitor

__all__ = ["later"]


@pytest.fixture(autouse=True)
def cheap_challenges(monkeypatch):
    """Makes solving a challenge instant instead of half a second."""
    monkeypatch.setattr(steps, "COST", 2)


@pytest.fixture
def still(monkeypatch):
    """Stops the clock."""
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now)


@pytest.fixture
def site(app):
    return sites.create("Harbour Letters", "Europe/Oslo")


@pytest.fixture
def zoe(app, site):
    """A subscriber with a browser."""
    put(site, {"email": ZOE, "first_name": "Zoë-Marie"})
    return Visitor(app.test_client(), site)


@pytest.fixture
def read(monkeypatch):
    """The statements that were sent, except those that prepare a connection."""
    statements_sent, read = [], statements.reader.read

    def note(sql):
        if not sql.startswith("PRAGMA"):
            statements_sent.append(sql)
        read(sql)

    monkeypatch.setattr(statements.reader, "read", note)
    return statements_sent


@pytest.fixture
def applicant(app, site):
    return Applicant(app.test_client(), site, form_of(site), {"Origin": ORIGIN, "User-Agent": "Mozilla/5.0"})
