"""Keys on the page of a site's owner."""

import html
import json
import re
import shlex

import pytest

from audience.access import keys, operators
from audience.access.audit_log import COMMAND_LINE, page
from audience.access.keys import NewKey, authenticate
from audience.subscribers import subscribers
from tests.client import ApiClient
from tests.console.browser import signed_in


@pytest.fixture
def path(site):
    return f"/sites/{site.uuid}/keys"


def pair(response):
    """The publishable and the secret key that a page shows."""
    return re.findall(r"\b[ps]k_\w+", response.text)[:2]


def works(publishable_key, secret_key):
    return authenticate(publishable_key, secret_key) is not None


def test_a_key_says_since_when_and_how_many_sites_it_reaches(site, other_site, owner):
    keys.create([site, other_site], name="shared")
    shown = owner.get(f"/sites/{site.uuid}/keys").text
    assert "2 sites" in shown
    assert "Created" in shown


def test_a_new_key_works_and_its_secret_is_shown_once(site, owner, path):
    made = owner.post(path, name="Blog", scope="read")
    assert made.status_code == 200
    key = authenticate(*pair(made))
    assert key
    assert (key.scope, [each.uuid for each in key.sites]) == ("read", [site.uuid])
    listed = owner.get(path).text
    assert "Blog" in listed
    assert pair(made)[1] not in listed
    assert (page(site)[0].act, page(site)[0].subject) == ("key made", "Blog")


def test_an_empty_site_offers_a_key_and_fills_the_first_call_in_with_it_once(app, site, owner):
    keys.create([site], "stats")
    overview = owner.get(f"/sites/{site.uuid}").text
    assert "Make a key" in overview
    form = overview.partition(f'action="/console/sites/{site.uuid}/keys"')[2].partition("</form>")[0]
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    made = owner.post(f"/sites/{site.uuid}/keys", **fields)
    [call] = re.findall(r"<pre[^>]*>(curl .*?)</pre>", made.text, re.DOTALL)
    words = shlex.split(html.unescape(call))
    user, data = words[words.index("-u") + 1], words[words.index("-d") + 1]
    publishable_key, _, secret_key = user.partition(":")
    client = ApiClient(app.test_client(), site, NewKey(publishable_key, secret_key, "full"))
    assert words[1] == "http://127.0.0.1:8000/api/v1/fetch/subscribers"
    answer = client.post("/fetch/subscribers", json.loads(data), query={"site_uuid": None})
    assert (answer.status_code, subscribers.find(site, "ann@example.com") is not None) == (201, True)
    sites_again = owner.get(f"/sites/{site.uuid}").text
    assert secret_key not in sites_again


def test_who_may_make_no_key_is_told_who_fills_the_list(app, site):
    overview = signed_in(app, "vic@example.com", {site: "viewer"}).get(f"/sites/{site.uuid}").text
    assert "A manager of the site imports a file" in overview
    assert "Make a key" not in overview


def test_a_key_that_cannot_make_the_first_call_does_not_come_with_it(owner, path):
    assert "curl " not in owner.post(path, name="Blog", scope="read").text


def test_an_unknown_scope_is_refused_on_the_page(site, owner, path):
    refused = owner.post(path, name="Blog", scope="root")
    assert (refused.status_code, "The scope must be one of" in refused.text) == (422, True)
    assert keys.list_all(site) == []


def test_a_rotated_key_works_on_for_a_while(owner, path, later):
    old = pair(owner.post(path, name="Blog", scope="full"))
    rotated = owner.post(f"{path}/rotate", key=old[0], overlap="1 hour")
    assert "The old key works for 1 hour more." in rotated.text
    assert re.search(r'/settings" aria-current="page">Settings', rotated.text)
    new = pair(rotated)
    assert (works(*old), works(*new)) == (True, True)
    later(3_600_001)
    assert (works(*old), works(*new)) == (False, True)
    newest = pair(owner.post(f"{path}/rotate", key=new[0], overlap="0"))
    assert (works(*new), works(*newest)) == (False, True)


def test_a_revoked_key_is_dead(site, owner, path):
    key = pair(owner.post(path, name="", scope="full"))
    assert owner.post(f"{path}/revoke", key=key[0]).status_code == 303
    assert not works(*key)
    assert (page(site)[0].act, page(site)[0].subject) == ("key revoked", key[0])
    again = owner.post(f"{path}/revoke", key=key[0])
    assert (again.status_code, "no longer active" in again.text) == (404, True)


@pytest.mark.parametrize("act", ["rotate", "revoke"])
def test_a_key_of_several_sites_needs_an_owner_of_all(app, site, other_site, owner, path, act):
    key = keys.create([site, other_site])
    refused = owner.post(f"{path}/{act}", key=key.publishable_key)
    assert (refused.status_code, "other sites too" in refused.text) == (422, True)
    assert works(key.publishable_key, key.secret_key)
    both = signed_in(app, "both@example.com", {site: "owner", other_site: "owner"})
    assert both.post(f"{path}/{act}", key=key.publishable_key).status_code < 400
    assert not works(key.publishable_key, key.secret_key)


@pytest.mark.parametrize("act", ["rotate", "revoke"])
def test_a_key_of_another_site_is_not_found(site, other_site, owner, path, act):
    key = keys.create([other_site])
    assert owner.post(f"{path}/{act}", key=key.publishable_key).status_code == 404
    assert works(key.publishable_key, key.secret_key)


def test_managers_neither_see_nor_make_keys(app, site, path):
    operators.add("o@example.com", False, {site: "owner"}, COMMAND_LINE)
    manager = signed_in(app, "m@example.com", {site: "manager"})
    assert manager.get(path).status_code == 404
    assert manager.post(path, name="x", scope="full").status_code == 404
    assert keys.list_all(site) == []


def test_the_page_says_what_each_scope_is_for(owner, path):
    page = owner.get(path).text
    assert "What is it for?" in page
    assert '<b>read</b><small class="m">a report: it may read everything, and change nothing</small>' in page
