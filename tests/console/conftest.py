"""Fixtures of the console's tests."""

import pytest

from audience import clock
from audience.access import operators, sessions, sign_in, sites
from audience.access.audit_log import COMMAND_LINE
from storage import leases
from tests.console.browser import alert, open_browser, signed_in
from tests.two_factor import FORM, PAGE, RECOVERY_CODE, STEP_MS, code_of, secret_on

PASSWORD = "a heron stands in the reeds"


@pytest.fixture
def site(app):
    return sites.create("Example")


@pytest.fixture
def other_site(app):
    return sites.create("Another")


@pytest.fixture
def browser(app):
    """A browser that is not signed in."""
    return open_browser(app)


@pytest.fixture
def administrator(app):
    return signed_in(app, "admin@example.com", administrator=True)


@pytest.fixture
def owner(app, site):
    return signed_in(app, "owner@example.com", {site: "owner"})


@pytest.fixture
def later(monkeypatch):
    """Advances the clock, by milliseconds."""
    moved = [0]
    real, real_lease = clock.now_ms, leases.now

    def move(milliseconds):
        moved[0] += milliseconds

    monkeypatch.setattr(clock, "now_ms", lambda: real() + moved[0])
    monkeypatch.setattr(leases, "now", lambda uptime: real_lease(uptime) + moved[0])
    return move


@pytest.fixture
def manager(app, site):
    """The browser of an operator who may do all except manage keys, operators and the site itself."""
    return signed_in(app, "meg@example.com", {site: "manager"})


@pytest.fixture
def ann(app, site):
    """An operator with a password."""
    token = operators.add("Ann@example.com", False, {site: "viewer"}, COMMAND_LINE)
    sessions.end_by_token(sign_in.set_password_with_link(token, PASSWORD, ""))
    return operators.get("ann@example.com")


@pytest.fixture
def here(app, ann):
    """Ann's browser, signed in by her password."""
    browser = open_browser(app)
    assert browser.post("/sign-in", **FORM).status_code == 303
    return browser


@pytest.fixture
def turned_on(here, later):
    """Ann's (secret, recovery codes), and the step after that in which she turned it on has begun."""
    secret = secret_on(here.get(PAGE))
    shown = here.post(PAGE, present=PASSWORD, code=code_of(secret))
    assert shown.status_code == 200, alert(shown)
    later(STEP_MS - clock.now_ms() % STEP_MS)
    return secret, RECOVERY_CODE.findall(shown.text)
