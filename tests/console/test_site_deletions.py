"""Deleting a site in the console: asked with numbers, done by a worker."""

import pytest

from audience import jobs
from audience.access import audit_log, keys, operators, sites
from audience.access.audit_log import Actor
from audience.console.sites import TYPE_NAME
from audience.operations import site_deletions
from audience.subscribers import stats
from storage import database
from storage.instance import site_tables
from tests.console.browser import alert, signed_in
from tests.console.screens import fill
from tests.jobs import run_due


@pytest.fixture
def path(site):
    fill(site)
    return f"/sites/{site.uuid}/delete"


def test_the_page_says_what_goes(owner, site, path):
    keys.create([site])
    page = owner.get(path).text
    for said in (
        "<b>6 subscribers</b>, 1 of them unsubscribed,",
        "1 form, 1 segment, ",
        " 2 webhooks, 1 key.",
    ):
        assert said in page
    assert f'href="/console{path}"' in owner.get(f"/sites/{site.uuid}/settings").text


@pytest.mark.parametrize("typed", ["", "example", "Examples"])
def test_another_name_deletes_nothing(owner, site, path, typed):
    response = owner.post(path, typed=typed)
    assert (response.status_code, alert(response)) == (422, TYPE_NAME)
    assert site_deletions.under_way() == set()
    assert stats.for_site(site).users == 6


def test_a_worker_deletes_it_and_meanwhile_nobody_reaches_it(
    owner, administrator, site, path, settings, later
):
    key = keys.create([site])
    response = owner.post(path, typed=" Example ")
    assert (response.status_code, response.headers["Location"]) == (303, "/console/account?done=site-deleted")
    assert "A worker is deleting the site now" in owner.get("/account?done=site-deleted").text
    assert keys.authenticate(key.publishable_key, key.secret_key) is None
    assert owner.get(f"/sites/{site.uuid}").status_code == 404
    assert "being deleted" in administrator.get("/sites").text
    run_due(site_deletions.kind(settings.instance))
    assert sites.list_all() == []
    with database.session():
        assert site_tables.size(site.id) == 0
    said = [(entry.actor, entry.act, entry.subject) for entry in audit_log.page(None)]
    assert said[:2] == [
        ("worker", "site deleted", "Example"),
        ("owner@example.com", "site deletion begun", "Example"),
    ]
    assert site_deletions.under_way() == set()


def test_asked_again_it_stays_as_it_was(site, path, settings):
    for name in ("first@example.com", "second@example.com"):
        site_deletions.ask(site, settings.instance, Actor(name))
    begun = [entry.actor for entry in audit_log.page(None) if entry.act == "site deletion begun"]
    assert begun == ["first@example.com"]


def test_it_goes_on_after_a_stop(owner, site, path, settings, monkeypatch):
    owner.post(path, typed="Example")
    kind, real = site_deletions.kind(settings.instance), sites._delete_some
    stops = iter(range(3))

    def stop(*arguments):
        if next(stops, None) == 2:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(sites, "_delete_some", stop)
    with pytest.raises(KeyboardInterrupt):
        run_due(kind)
    with database.write(database.SHARED):
        database.execute("UPDATE jobs SET not_before = 0, claim = NULL WHERE site_id = 0")
    run_due(kind)
    assert sites.list_all() == []


def test_a_step_ends_at_its_deadline_and_the_next_goes_on(owner, site, path, settings, monkeypatch):
    monkeypatch.setattr(sites, "CHUNK_ROWS", 5)
    owner.post(path, typed="Example")
    steps = 0
    while site in sites.list_all():
        jobs.work([site_deletions.kind(settings.instance)], database.SHARED, seconds=0.0001)
        steps += 1
    assert steps > 5


def test_an_administrator_lands_on_the_sites_and_another_site_stays(app, site, other_site, path, settings):
    me = signed_in(app, "me@example.com", {site: "owner", other_site: "owner"}, administrator=True)
    assert me.post(path, typed="Example").headers["Location"] == "/console/sites?done=site-deleted"
    run_due(site_deletions.kind(settings.instance))
    assert sites.list_all() == [other_site]
    assert operators.get("me@example.com").administrator
    assert "Another" in me.get("/sites").text
