"""Fixtures of the tests of the pages for people."""

import pytest

from audience.access import sites
from tests.audience.undo.test_undos import put
from tests.console.conftest import later
from tests.pages.visitor import ZOE, Visitor

__all__ = ["later"]


@pytest.fixture
def site(app):
    return sites.create("Harbour Letters", "Europe/Oslo")


@pytest.fixture
def zoe(app, site):
    """Somebody subscribed, with a browser."""
    put(site, {"email": ZOE, "first_name": "Zoë-Marie"})
    return Visitor(app.test_client(), site)
