"""Confirming is a `subscribe` with its proof, once, and of nobody who has left since; declining ends all."""

import pytest

from audience.access import sites
from audience.changes import pages as change_log_pages
from audience.clock import DAY_MS
from audience.erasures import erasures
from audience.links import generations, links
from audience.links.links import PREFERENCES, UNSUBSCRIBE
from audience.links.tokens import CONFIRM
from audience.links.unsubscribing import unsubscribe
from audience.sign_ups import confirming, mailboxes
from audience.sign_ups.confirming import ConfirmOutcome
from audience.subscribers import custom_fields, subscribers
from storage import database
from storage.sign_ups import proofs
from tests.audience.links.test_links import link
from tests.audience.undo.test_undos import put, run, tags_of
from tests.sign_up_steps import ZOE, ask, confirm, counted, make_form, read, row, token
from tests.stored_people import found

CONFIRMED, ALREADY = ConfirmOutcome.CONFIRMED, ConfirmOutcome.ALREADY
TOO_OLD, ENDED = ConfirmOutcome.TOO_OLD, ConfirmOutcome.ENDED


@pytest.fixture
def form(site):
    return make_form(site, tags=("weekly",))


@database.session()
def proofs_of(site, email=ZOE):
    return proofs.for_subscriber(site.id, found(site, email).id)


def newest_change(site):
    return change_log_pages.newest_number(site)


def test_confirming_subscribes_with_names_tags_and_source(site, form):
    sign_up = ask(site, form, first_name="Zoë", last_name="Fjord")
    assert confirm(site, sign_up) is CONFIRMED
    zoe = found(site, ZOE)
    assert (zoe.first_name, zoe.last_name, zoe.unsubscribed_at) == ("Zoë", "Fjord", None)
    assert tags_of(site, ZOE) == {"weekly"}
    record = change_log_pages.consent(site, zoe.uuid)
    assert record.created_by == ("sign_up", str(form.id))
    assert counted(site) == {"asked": 1, "confirmed": 1}


def test_what_is_left_of_a_confirmed_sign_up_tells_not_who_it_was(site, form):
    sign_up = ask(site, form, first_name="Zoë", agent="Firefox", network="192.0.2.0/24")
    confirm(site, sign_up)
    left = row(site, sign_up)
    assert (left.status, left.subscriber_id) == ("confirmed", found(site, ZOE).id)
    assert (left.email, left.fields, left.tags, left.agent, left.network) == (
        "", "{}", "[]", "", "",
    )  # fmt: skip
    assert left.confirmed_at


def test_the_proof_says_who_asked_for_what_and_who_confirmed_it(site, form):
    asked = {"version": 3, "language": "de", "origin": "https://static.example", "country": "NO"}
    sign_up = ask(site, form, network="192.0.2.0/24", asked_by="key:pk_1", **asked)
    confirm(site, sign_up)
    [proof] = proofs_of(site)
    assert (proof.form_id, proof.version, proof.language, proof.origin) == (1, 3, "de", asked["origin"])
    assert (proof.asked_by, proof.country) == ("key:pk_1", "NO")
    assert (proof.requested_at, proof.requested_from) == (sign_up.requested_at, "192.0.2.0/24")
    assert (proof.confirmed_by, proof.seconds, proof.confirmed_from, proof.agent) == (
        "click", 4, "198.51.100.0/24", "Firefox",
    )  # fmt: skip
    assert proof.confirmed_at >= sign_up.requested_at


def test_a_second_time_writes_nothing_also_after_leaving(site, form):
    sign_up = ask(site, form)
    confirm(site, sign_up)
    before = newest_change(site), row(site, sign_up)
    assert confirm(site, sign_up) is ALREADY
    assert (newest_change(site), row(site, sign_up)) == before
    run(site, command="unsubscribe", email=ZOE)
    assert confirm(site, sign_up) is ALREADY
    assert found(site, ZOE).unsubscribed_at
    assert len(proofs_of(site)) == 1


def test_names_are_filled_in_only_where_they_are_blank(site, form):
    put(site, {"email": ZOE, "first_name": "Zoe"})
    confirm(site, ask(site, form, first_name="Mallory", last_name="Fjord"))
    zoe = found(site, ZOE)
    assert (zoe.first_name, zoe.last_name) == ("Zoe", "Fjord")


@pytest.mark.parametrize("had", ["Rome", 0, False, ["a"], {}])
def test_custom_fields_are_filled_in_only_where_they_are_blank(site, form, had):
    put(site, {"email": ZOE, "fields": {"city": had, "note": ""}})
    confirm(site, ask(site, form, fields={"city": "Mallory", "note": "Hello", "plan": "pro", "uuid": "x"}))
    assert found(site, ZOE).fields == {"city": had, "note": "Hello", "plan": "pro", "uuid": "x"}


def test_a_custom_field_that_is_gone_since_is_made_again(site, form):
    sign_up = ask(site, form, fields={"city": "Oslo"})
    assert custom_fields.list_all(site) == []
    confirm(site, sign_up)
    assert (found(site, ZOE).fields, [field.key for field in custom_fields.list_all(site)]) == (
        {"city": "Oslo"}, ["city"],
    )  # fmt: skip


def test_who_left_before_comes_back(site, form):
    put(site, {"email": ZOE})
    run(site, command="unsubscribe", email=ZOE)
    assert confirm(site, ask(site, form)) is CONFIRMED
    assert found(site, ZOE).unsubscribed_at is None


def test_who_was_erased_before_comes_back(site, form, folder):
    put(site, {"email": ZOE})
    erasures.erase(site, folder, ZOE)
    assert confirm(site, ask(site, form)) is CONFIRMED
    assert found(site, ZOE)


def by_command(site, _folder):
    run(site, command="unsubscribe", email=ZOE)


def by_link(site, _folder):
    unsubscribe(link(site, ZOE))


def by_link_of_a_row_that_is_gone(site, folder):
    gone = link(site, ZOE)
    erasures.erase(site, folder, ZOE)
    unsubscribe(gone)


def by_erasure(site, folder):
    erasures.erase(site, folder, ZOE)


def by_an_old_date(site, _folder):
    put(site, {"email": ZOE, "unsubscribed_at": DAY_MS})


@pytest.mark.parametrize(
    ("leave", "outcome"),
    [
        (by_command, ENDED),
        (by_link, ENDED),
        (by_link_of_a_row_that_is_gone, TOO_OLD),
        (by_erasure, TOO_OLD),
        (by_an_old_date, ENDED),
    ],
)
def test_leaving_ends_what_is_open(site, form, folder, leave, outcome):
    put(site, {"email": ZOE})
    sign_up = ask(site, form, first_name="Mallory")
    leave(site, folder)
    assert confirm(site, sign_up) is outcome
    assert (zoe := subscribers.find(site, ZOE)) is None or zoe.unsubscribed_at
    left = row(site, sign_up)
    assert left is None or (left.status, left.email, left.fields) == ("ended", "", "{}")


def test_an_open_sign_up_ends_in_the_transaction_of_leaving(site, form):
    """Also of whoever has left already, and of nobody else."""
    put(site, {"email": ZOE}, {"email": "other@example.com"})
    run(site, command="unsubscribe", email=ZOE)
    sign_up, other = ask(site, form), ask(site, form, "other@example.com")
    run(site, command="unsubscribe", email=ZOE)
    assert (row(site, sign_up).status, row(site, other).status) == ("ended", "waiting")


def test_an_erasure_takes_sign_ups_and_proofs_along(site, form, folder):
    first, second = ask(site, form), ask(site, form)
    confirm(site, first)
    person = found(site, ZOE).id
    assert not erasures.erase(site, folder, "nobody@example.com")
    erasures.erase(site, folder, ZOE)
    assert row(site, first) is None
    assert row(site, second) is None
    with database.session():
        assert proofs.for_subscriber(site.id, person) == []


def test_who_is_only_a_sign_up_is_erased(site, form, folder):
    sign_up = ask(site, form)
    assert not erasures.erase(site, folder, ZOE)
    assert row(site, sign_up) is None


def test_each_of_several_does_what_its_mail_said(site, form):
    mine, theirs = ask(site, form, first_name="Zoë"), ask(site, form, first_name="Mallory")
    assert confirm(site, mine) is CONFIRMED
    assert found(site, ZOE).first_name == "Zoë"
    assert confirm(site, theirs) is CONFIRMED
    assert found(site, ZOE).first_name == "Zoë"
    assert len(proofs_of(site)) == 2


def test_too_old_is_what_has_expired_or_is_gone(site, form, later):
    sign_up = ask(site, form)
    later(7 * DAY_MS - 60_000)
    assert read(token(site, sign_up)).status == "waiting"
    later(60_000)
    page = read(token(site, sign_up))
    assert (page.site, page.form, page.status, page.address) == (site, form, "gone", "")
    assert confirm(site, sign_up) is TOO_OLD
    assert subscribers.find(site, ZOE) is None


def test_declining_ends_all_of_the_address_and_keeps_no_address(site, form):
    first, second, confirmed = ask(site, form), ask(site, form), ask(site, form, "other@example.com")
    confirm(site, confirmed)
    assert confirming.decline(token(site, first))
    assert (row(site, first).status, row(site, second).status) == ("declined", "ended")
    assert row(site, first).email == row(site, second).email == ""
    assert confirm(site, first) is confirm(site, second) is ENDED
    assert confirming.decline(token(site, first))
    assert not confirming.decline(token(site, confirmed))
    assert counted(site)["declined"] == 1


def test_declining_a_test_ends_only_the_test(site, form):
    test, real = ask(site, make_form(site, is_test=True)), ask(site, form)
    assert confirming.decline(token(site, test))
    assert (row(site, test).status, row(site, test).email) == ("declined", "")
    assert row(site, real).status == "waiting"
    assert confirm(site, real) is CONFIRMED
    with database.session():
        assert not mailboxes.has_declined(site, ZOE)


def test_a_declined_mailbox_is_known_for_thirty_days(site, form, later):
    confirming.decline(token(site, ask(site, form, "z.oe@gmail.com")))
    with database.session():
        assert mailboxes.has_declined(site, "zoe+again@gmail.com")
        assert not mailboxes.has_declined(sites.create("Other"), "zoe+again@gmail.com")
    later(30 * DAY_MS)
    with database.session():
        assert not mailboxes.has_declined(site, "zoe@gmail.com")


def test_the_page_is_told_what_will_be_stored_and_no_address(site, form):
    sign_up = ask(site, form, first_name="Zoë", last_name="Fjord")
    page = read(token(site, sign_up))
    assert page[:5] == (site, sign_up.id, form, "waiting", "en")
    assert page.address == "z…@example.com"
    assert (page.fields, page.tags) == ({"first_name": "Zoë", "last_name": "Fjord"}, ("weekly",))
    assert (page.wording, page.confirmed_url, page.needs_click) == ("News once a week.", "", False)
    confirm(site, sign_up)
    page = read(token(site, sign_up))
    assert (page.status, page.address, page.fields, page.tags) == ("confirmed", "", {}, ())


def test_a_form_may_ask_for_a_click(site):
    sign_up = ask(site, make_form(site, confirm="click"))
    assert read(token(site, sign_up)).needs_click


def test_without_its_form_it_still_confirms(site, form):
    sign_up = ask(site, form._replace(id=99))
    assert read(token(site, sign_up)).form is None
    assert confirm(site, sign_up) is CONFIRMED


def test_a_link_is_good_for_one_sign_up_and_purpose_of_one_site(site, form):
    other = sites.create("Other")
    sign_up = ask(site, form)
    good = token(site, sign_up)
    for glued in (".", ",", ")", ">"):
        assert read(good + glued) == read(good)
    assert links.read(UNSUBSCRIBE, good) is None
    assert links.read(PREFERENCES, good) is None
    assert read(token(other, sign_up)).status == "gone"
    put(site, {"email": ZOE})
    assert links.read(CONFIRM, link(site, ZOE) and token(site, sign_up)[:-1]) is None
    for place, character in enumerate(good):
        wrong = good[:place] + ("A" if character != "A" else "B") + good[place + 1 :]
        assert read(wrong) is None
        assert not confirming.decline(wrong)
    assert row(site, sign_up).status == "waiting"


def test_revoked_links_confirm_nothing(site, form):
    sign_up = ask(site, form)
    old = token(site, sign_up)
    generations.rotate(site)
    assert read(old).status == "waiting"
    generations.rotate(site, revokes=True)
    assert read(old) is None
    assert confirming.confirm(old, "click", 1, "", "") is TOO_OLD
    assert confirm(site, sign_up) is CONFIRMED
