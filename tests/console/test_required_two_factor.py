"""Where two-factor sign-in is required of everybody."""

import io
from dataclasses import replace

import pytest
from werkzeug.test import EnvironBuilder

from audience.console.page import OLD_FORM, SET_UP_FIRST
from audience.http.admission import Admission
from audience.protocols import REFUSAL
from tests.console.browser import ORIGIN, signed_in
from tests.console.conftest import PASSWORD
from tests.two_factor import PAGE, code_of, secret_on


@pytest.fixture
def required(app, settings):
    services = app.extensions["audience"]
    changed = replace(services, settings=replace(settings, require_two_factor=True))
    app.extensions["audience"] = changed


def test_where_it_is_required_everybody_sets_it_up_first(app, required, here, site, later):
    for path in ("", f"/sites/{site.uuid}", "/account", "/nowhere"):
        assert here.get(path).location == f"/console{PAGE}", path
    lost = here.post(f"/sites/{site.uuid}/settings", name="Herons")
    assert lost.location == f"/console{PAGE}?done=set-up-first"
    assert SET_UP_FIRST == "set-up-first"
    page = here.get(f"{PAGE}?done=set-up-first")
    assert "Nothing that you sent was carried out" in page.text
    assert f"/console/sites/{site.uuid}" not in page.text
    assert here.post(PAGE, present=PASSWORD, code=code_of(secret_on(page))).status_code == 200
    assert here.get(f"/sites/{site.uuid}").status_code == 200


def test_where_it_is_required_no_file_is_received_before(app, required, here, site):
    sent = EnvironBuilder(
        f"/console/sites/{site.uuid}/imports/new", f"{ORIGIN}/", method="POST",
        data={"file": (io.BytesIO(b"E-mail"), "people.csv")},
        headers=[("Origin", ORIGIN), ("Cookie", f"{here.cookie}={here.token}")],
    )  # fmt: skip
    environ = sent.get_environ()
    assert Admission(app)(environ) is None
    assert str(environ[REFUSAL]) == OLD_FORM
    assert here.get(PAGE).status_code == 200


def test_where_it_is_required_the_first_operator_sets_it_up_next(required, browser, site):
    browser.set_up()
    assert browser.get("").location == f"/console{PAGE}"
    assert browser.get(PAGE).status_code == 200


def test_where_it_is_required_who_has_no_password_sets_one_before(app, required, site):
    browser = signed_in(app, "bob@example.com", {site: "viewer"})
    assert browser.get(f"/sites/{site.uuid}").location == f"/console{PAGE}"
    assert browser.get("/account").status_code == 200
    assert browser.post("/account/password", password=PASSWORD).status_code == 303
    assert browser.get("/account").location == f"/console{PAGE}"
    page = browser.get(PAGE)
    assert browser.post(PAGE, present=PASSWORD, code=code_of(secret_on(page))).status_code == 200
    assert browser.get(f"/sites/{site.uuid}").status_code == 200


def test_where_it_is_required_one_can_sign_out_and_turn_it_off_only_to_set_it_up_anew(
    app, required, turned_on, here, site
):
    assert here.post(f"{PAGE}/off", present=PASSWORD, code=code_of(turned_on[0])).status_code == 303
    assert here.get(f"/sites/{site.uuid}").location == f"/console{PAGE}"
    assert here.post("/sign-out").location == "/console/sign-in"
