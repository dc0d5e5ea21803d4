"""Webhooks on the pages of a site's owner."""

import re
from dataclasses import replace

import pytest

from audience.access.audit_log import page
from audience.changes import pages as change_log_pages
from audience.segments import segments
from audience.webhooks import deliveries as webhook_deliveries
from audience.webhooks import webhooks
from storage import database
from storage.webhooks import webhooks as stored
from tests.console.browser import alert
from tests.console.screens import fill
from tests.deliveries.receivers import OK, receiver, says

HOOK = "https://hooks.invalid/changes"
NO = b"HTTP/1.1 503 No\r\nContent-Length: 17\r\n\r\n<b>not today</b>\n"
SECRET = re.compile(r"whsec_[\w+/=]+")


@pytest.fixture
def settings(settings):
    return replace(settings, webhook_private_addresses=True)


@pytest.fixture
def path(site):
    return f"/sites/{site.uuid}/webhooks"


@pytest.fixture
def made(site):
    webhook, _ = webhooks.create(site, {"url": HOOK, "kinds": ["created"]})
    return webhook


def test_one_takes_sign_ups_if_that_is_ticked(site, owner, path, made):
    owner.post(f"{path}/{made.id}", url=HOOK, sign_ups="1")
    assert webhooks.get(site, made.id).sign_ups
    assert 'name="sign_ups" value="1" checked' in owner.get(f"{path}/{made.id}").text
    owner.post(f"{path}/{made.id}", url=HOOK)
    assert not webhooks.get(site, made.id).sign_ups


def acts(site):
    return [(entry.actor, entry.act) for entry in page(site)]


def test_a_new_webhook_is_listed_and_its_secret_shown_once(site, owner, path):
    segment = segments.create(site, {"name": "VIP", "rules": {"tag": "vip"}})
    shown = owner.post(path, url=HOOK, kinds=["created", "import_finished"], segment_id=str(segment.id))
    assert shown.status_code == 200
    [webhook] = webhooks.list_all(site)
    kinds = '["created","import_finished"]'
    assert (webhook.url, webhook.kinds, webhook.segment_id) == (HOOK, kinds, segment.id)
    assert SECRET.findall(shown.text) == webhooks.current_secrets(site.id, webhook)
    for listed in (owner.get(path), owner.get(f"{path}/{webhook.id}")):
        assert HOOK in listed.text
        assert not SECRET.search(listed.text)
    assert acts(site)[0] == ("owner@example.com", "webhook made")


@pytest.mark.parametrize(
    ("url", "said"),
    [("", "Nothing was saved"), ("ftp://a.example/", "https://"), ("https://a:b@c.example/", "Leave out")],
)
def test_what_is_refused_is_said_and_stays_in_the_form(site, owner, path, url, said):
    refused = owner.post(path, url=url, kinds=["created"])
    assert (refused.status_code, said in alert(refused)) == (422, True)
    assert f'required value="{url}"' in refused.text
    assert 'value="created" checked' in refused.text
    assert webhooks.list_all(site) == []


def test_a_webhook_is_changed_and_what_is_not_ticked_ends(site, owner, path, made):
    shown = owner.get(f"{path}/{made.id}").text
    assert 'value="created" checked' in shown
    assert owner.post(f"{path}/{made.id}", url=f"{HOOK}/2").status_code == 303
    changed = webhooks.get(site, made.id)
    assert (changed.url, changed.kinds, changed.paused) == (f"{HOOK}/2", "[]", "")
    assert acts(site)[0] == ("owner@example.com", "webhook changed")
    refused = owner.post(f"{path}/{made.id}", url="http://a b/", kinds=["erased"])
    assert refused.status_code == 422
    assert 'value="http://a b/" aria-invalid="true"' in refused.text


def test_it_is_paused_and_goes_on_whatever_its_address(site, owner, path, made):
    owner.post(f"{path}/{made.id}/pause")
    assert webhooks.get(site, made.id).paused == "operator"
    assert "Paused: by an operator" in owner.get(f"{path}/{made.id}").text
    owner.post(f"{path}/{made.id}/resume")
    assert webhooks.get(site, made.id).paused == ""
    assert acts(site)[:2] == [("owner@example.com", f"webhook {act}") for act in ("resumed", "paused")]


@pytest.mark.parametrize("why", webhooks.PAUSES)
def test_it_is_said_why_it_is_paused(site, owner, path, made, why):
    stored_paused(site, made, why)
    for shown in (owner.get(path).text, owner.get(f"{path}/{made.id}").text):
        assert webhooks.PAUSES[why] in shown


def stored_paused(site, webhook, why):
    with database.write(site.id):
        stored.change(site.id, webhook._replace(paused=why))


def test_the_secret_is_renewed_and_both_sign(site, owner, path, made):
    [old] = webhooks.current_secrets(site.id, made)
    renewed = owner.post(f"{path}/{made.id}/rotate")
    assert "For 24 hours" in renewed.text
    assert webhooks.current_secrets(site.id, webhooks.get(site, made.id)) == [
        *SECRET.findall(renewed.text),
        old,
    ]
    assert acts(site)[0] == ("owner@example.com", "webhook secret renewed")


def test_a_test_is_sent_and_its_answer_is_in_the_log(site, owner, path):
    with receiver(says(OK)) as good, receiver(says(NO)) as bad:
        for server in (good, bad):
            webhooks.create(site, {"url": server.url()})
        for webhook in webhooks.list_all(site):
            assert owner.post(f"{path}/{webhook.id}/test").status_code == 303
    listed = owner.get(path).text
    assert "answered 200" in listed
    assert "answered 503" in listed
    shown = owner.get(f"{path}/2").text
    assert "&lt;b&gt;not today&lt;/b&gt;" in shown
    assert "The receiver answered 503" in shown


def test_changes_are_sent_again_from_a_number(site, owner, path, made):
    fill(site, ("Ann", "Bob"))
    newest = change_log_pages.page(site, None, 1).newest
    assert (
        f'name="after" inputmode="numeric" required value="{newest - 1}"'
        in owner.get(f"{path}/{made.id}?after={newest - 1}#after").text
    )
    assert owner.post(f"{path}/{made.id}/replay", after=str(newest - 1)).status_code == 303
    again = webhooks.get(site, made.id)
    assert (again.place, again.run) == (newest - 1, made.run + 1)
    assert acts(site)[0] == ("owner@example.com", "webhook changes sent again")
    for after in ("tomorrow", "", "-1", str(newest + 1)):
        refused = owner.post(f"{path}/{made.id}/replay", after=after)
        assert refused.status_code == 422
        assert f'required value="{after}" aria-invalid="true"' in refused.text
    assert webhooks.get(site, made.id).run == again.run


def test_the_log_has_pages(site, owner, path, made, monkeypatch):
    monkeypatch.setattr(webhook_deliveries, "PAGE_SIZE", 2)
    for _ in range(3):
        webhook_deliveries.send_test(site, made.id, private_addresses=True)
    first, second = (owner.get(f"{path}/{made.id}?page={number}").text for number in (1, 2))
    assert (first.count(">test<"), second.count(">test<")) == (2, 1)
    assert (">Older<" in first, ">Newer<" in first, ">Older<" in second, ">Newer<" in second) == (
        True,
        False,
        False,
        True,
    )
    for number in ("0", "-1", "x", "9" * 30):
        assert owner.get(f"{path}/{made.id}?page={number}").status_code == 200


def test_it_is_deleted(site, owner, path, made):
    assert owner.post(f"{path}/{made.id}/delete").status_code == 303
    assert webhooks.list_all(site) == []
    assert owner.get(f"{path}/{made.id}").status_code == 404
    assert acts(site)[0] == ("owner@example.com", "webhook deleted")


def test_a_manager_sees_no_webhooks(site, manager, path, made):
    assert manager.get(path).status_code == manager.get(f"{path}/{made.id}").status_code == 404
    assert manager.post(f"{path}/{made.id}/delete").status_code == 404
    assert "/webhooks" not in manager.get(f"/sites/{site.uuid}/settings").text
    assert webhooks.list_all(site)


def test_the_webhook_of_another_site_is_not_found(site, other_site, owner, path):
    theirs, _ = webhooks.create(other_site, {"url": HOOK})
    assert owner.get(f"{path}/{theirs.id}").status_code == 404
    assert owner.post(f"{path}/{theirs.id}/delete").status_code == 404
    assert webhooks.list_all(other_site)
