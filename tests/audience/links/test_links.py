"""Links: whose they are, which are good, and unsubscribing by one, also of somebody whose row is gone."""

import re
import uuid

import pytest

from audience import addresses
from audience.access import site_keys, sites
from audience.changes import pages as change_log_pages
from audience.erasures import erasures
from audience.links import generations, links
from audience.links import tokens as link_tokens
from audience.links.links import PREFERENCES, UNSUBSCRIBE, Links, Standing
from audience.links.unsubscribing import LinkOutcome, unsubscribe
from audience.subscribers import commands, stats, subscribers
from storage import database
from storage.erasures import suppressions
from tests.audience.undo.test_undos import put, run, take_back
from tests.stored_people import found

ANN, BOB = "ann@a.example", "bob@a.example"
BASE = "https://people.example"


def urls(site, email, base=BASE):
    person = found(site, email)
    return Links(site, base).urls(person.uuid, person.email_key)


def tokens(site, email):
    return {purpose: url.rpartition("/")[2] for purpose, url in urls(site, email).items()}


def read(purpose, token):
    """A link that is one."""
    known = links.read(purpose, token)
    assert known is not None
    return known


def link(site, email, purpose=UNSUBSCRIBE):
    """As it was read from a URL."""
    return read(purpose, tokens(site, email)[purpose])


def suppression(site, email):
    address_hash = site_keys.address_hash(site.id, addresses.identity(email))
    with database.session():
        return suppressions.find_by_hash(site.id, [address_hash]).get(address_hash)


def test_a_link_says_whose_it_is_and_is_good_for_one_purpose(site):
    put(site, {"email": ANN}, {"email": BOB})
    made = urls(site, ANN)
    assert {purpose: url.rpartition("/")[0] for purpose, url in made.items()} == {
        UNSUBSCRIBE: f"{BASE}/unsubscribe", PREFERENCES: f"{BASE}/preferences",
    }  # fmt: skip
    for purpose, other in ((UNSUBSCRIBE, PREFERENCES), (PREFERENCES, UNSUBSCRIBE)):
        token = made[purpose].rpartition("/")[2]
        assert read(purpose, token)[:6] == (purpose, site, found(site, ANN).uuid, 0, 1, Standing.CURRENT)
        assert links.read(other, token) is None
    assert link(site, ANN, PREFERENCES).is_for(ANN)
    assert made == urls(site, ANN)
    assert made != urls(site, BOB)


def test_a_token_has_no_address_and_no_padding_and_nothing_that_a_mail_program_cuts(site):
    put(site, {"email": ANN})
    for token in tokens(site, ANN).values():
        assert re.fullmatch(r"[\w-]{36,44}\.[\w-]{43}", token, re.ASCII)
        assert "ann" not in token
    token = tokens(site, ANN)[UNSUBSCRIBE]
    for glued in (".", ",", ")", ">", ">).,"):
        assert links.read(UNSUBSCRIBE, token + glued) == link(site, ANN)


def test_of_a_token_each_character_counts(site):
    put(site, {"email": ANN})
    for purpose, token in tokens(site, ANN).items():
        for place, character in enumerate(token):
            other = "A" if character != "A" else "B"
            assert links.read(purpose, token[:place] + other + token[place + 1 :]) is None
        for wrong in (
            "", ".", "..", "a", token[:-1], token[1:], f"{token}=", f"A{token}", f"{token}A", "é", token * 9,
            token.replace(".", ""), token.partition(".")[0], f"{token}\n", f" {token}", f"{token}\0",
            "\ud800",
        ):  # fmt: skip
            assert links.read(purpose, wrong) is None


def test_no_site_reads_the_links_of_another_and_none_is_left_of_one_that_is_deleted(site, folder):
    other = sites.create("Other")
    put(site, {"email": ANN})
    put(other, {"email": ANN})
    assert link(site, ANN).site == site
    assert link(other, ANN).site == other
    token = tokens(site, ANN)[UNSUBSCRIBE]
    sites.delete(site, folder, lambda *_: None)
    assert links.read(UNSUBSCRIBE, token) is None


def test_sites_whose_uuids_begin_alike_are_told_apart_by_their_keys(site, monkeypatch):
    monkeypatch.setattr(uuid, "uuid4", lambda: f"{site.uuid[:9]}{'0' * 4}-4000-8000-{'0' * 12}")
    twin = sites.create("Twin")
    for one in (site, twin):
        put(one, {"email": ANN})
        assert link(one, ANN).site == one


def test_links_are_old_after_a_rotation_and_revoked_after_a_revocation(site):
    put(site, {"email": ANN})
    first = tokens(site, ANN)
    assert generations.rotate(site) == 2
    second = tokens(site, ANN)
    assert generations.rotate(site, revokes=True) == 3

    def standing(purpose, token):
        return read(purpose, token).standing

    for purpose in (UNSUBSCRIBE, PREFERENCES):
        assert len({first[purpose], second[purpose], tokens(site, ANN)[purpose]}) == 3
        assert standing(purpose, first[purpose]) == standing(purpose, second[purpose]) == Standing.REVOKED
        assert standing(purpose, tokens(site, ANN)[purpose]) == Standing.CURRENT
    assert unsubscribe(read(UNSUBSCRIBE, first[UNSUBSCRIBE])).outcome is LinkOutcome.UNKNOWN
    assert found(site, ANN).unsubscribed_at is None
    generations.rotate(site)
    assert standing(UNSUBSCRIBE, second[UNSUBSCRIBE]) == Standing.REVOKED


def test_an_old_link_goes_on_unsubscribing(site):
    put(site, {"email": ANN})
    token = tokens(site, ANN)[UNSUBSCRIBE]
    generations.rotate(site)
    old = read(UNSUBSCRIBE, token)
    assert old.standing is Standing.OLD
    assert unsubscribe(old).outcome is LinkOutcome.UNSUBSCRIBED
    assert found(site, ANN).unsubscribed_at


def test_a_link_to_preferences_tells_whether_the_address_is_still_the_one(site):
    put(site, {"email": ANN})
    before = link(site, ANN, PREFERENCES)
    run(site, command="change_email", email=ANN, query=BOB)
    assert not before.is_for(BOB)
    assert link(site, BOB, PREFERENCES).is_for(BOB)


def test_unsubscribing_is_an_event_of_its_own_source_with_its_reason(site):
    put(site, {"email": ANN})
    assert unsubscribe(link(site, ANN), "too_many").outcome is LinkOutcome.UNSUBSCRIBED
    history = change_log_pages.history(site, found(site, ANN).uuid)
    [(source, event)] = history.consent.events
    assert (source, event.subscribed, event.reason) == (("link", None), False, "too_many")
    assert history.changes[0].kind == "unsubscribed"
    assert stats.recount(site) == stats.Counts(1, 1)


@pytest.mark.parametrize("reason", ["", "because", "Too_many"])
def test_what_is_no_reason_is_not_kept(site, reason):
    put(site, {"email": ANN})
    unsubscribe(link(site, ANN), reason)
    [(_, event)] = change_log_pages.history(site, found(site, ANN).uuid).consent.events
    assert event.reason == "word"


def test_twice_is_as_once_and_each_time_has_a_later_number(site):
    put(site, {"email": ANN})
    first, second = unsubscribe(link(site, ANN)), unsubscribe(link(site, ANN))
    assert second.outcome is LinkOutcome.ALREADY
    assert second.number > first.number > 0
    assert found(site, ANN).consent_number == second.number
    assert len(change_log_pages.history(site, found(site, ANN).uuid).consent.events) == 1


def test_who_left_by_a_link_stays_away_from_imports_and_comes_back_by_subscribe(site):
    put(site, {"email": ANN})
    unsubscribe(link(site, ANN))
    put(site, {"email": ANN, "tags": ["new"]})
    assert found(site, ANN).unsubscribed_at
    run(site, command="subscribe", email=ANN)
    assert found(site, ANN).unsubscribed_at is None


def test_import_mail_undo_import_the_mended_file_old_link(site):
    wrong = put(site, {"email": ANN})
    old = link(site, ANN)
    take_back(site, wrong)
    put(site, {"email": ANN, "first_name": "Ann"}, {"email": BOB})
    assert found(site, ANN).uuid != old.uuid
    assert unsubscribe(old).outcome is LinkOutcome.UNSUBSCRIBED
    assert found(site, ANN).unsubscribed_at
    assert found(site, BOB).unsubscribed_at is None
    assert unsubscribe(old).outcome is LinkOutcome.ALREADY


def test_import_mail_undo_old_link_import_the_mended_file(site):
    wrong = put(site, {"email": ANN})
    old = link(site, ANN)
    take_back(site, wrong)
    assert unsubscribe(old).outcome is LinkOutcome.SUPPRESSED
    put(site, {"email": ANN})
    assert found(site, ANN).unsubscribed_at


def test_an_undo_of_what_came_later_leaves_them_unsubscribed(site):
    put(site, {"email": ANN})
    later = put(site, {"email": ANN, "tags": ["wrong"]})
    unsubscribe(link(site, ANN))
    take_back(site, later)
    assert found(site, ANN).unsubscribed_at


def test_who_was_erased_stays_erased_and_a_waiting_subscribe_of_before_brings_nobody_back(site, folder):
    put(site, {"email": ANN})
    old = link(site, ANN)
    erasures.erase(site, folder, ANN)
    put(site, {"email": ANN, "command": "subscribe"}, wait=False)
    before = suppression(site, ANN)
    assert unsubscribe(old).outcome is LinkOutcome.SUPPRESSED
    after = suppression(site, ANN)
    assert (after.reason, after.number > before.number) == (suppressions.ERASED, True)
    put(site, {"email": BOB})
    assert subscribers.find(site, ANN) is None


def test_who_came_back_after_an_erasure_leaves_by_the_old_link_too(site, folder):
    put(site, {"email": ANN})
    old = link(site, ANN)
    erasures.erase(site, folder, ANN)
    run(site, command="subscribe", email=ANN)
    assert unsubscribe(old).outcome is LinkOutcome.UNSUBSCRIBED
    assert found(site, ANN).unsubscribed_at


def test_whoever_has_the_address_today_is_meant(site):
    """Not who was given it once, and has another since."""
    wrong = put(site, {"email": ANN})
    old = link(site, ANN)
    take_back(site, wrong)
    put(site, {"email": ANN}, {"email": BOB})
    run(site, command="change_email", email=ANN, query="cy@a.example")
    assert unsubscribe(old).outcome is LinkOutcome.SUPPRESSED
    assert found(site, "cy@a.example").unsubscribed_at is None
    run(site, command="change_email", email=BOB, query=ANN)
    assert unsubscribe(old).outcome is LinkOutcome.UNSUBSCRIBED
    assert found(site, ANN).unsubscribed_at


def test_a_link_survives_a_changed_address(site):
    put(site, {"email": ANN})
    old = link(site, ANN)
    run(site, command="change_email", email=ANN, query=BOB)
    assert unsubscribe(old).outcome is LinkOutcome.UNSUBSCRIBED
    assert found(site, BOB).unsubscribed_at


def test_of_somebody_whom_the_site_never_had_nothing_is_kept(site):
    put(site, {"email": ANN})
    stranger = link(site, ANN)._replace(uuid="00000000-0000-7000-8000-000000000000")
    before = change_log_pages.newest_number(site)
    assert unsubscribe(stranger) == (LinkOutcome.UNKNOWN, 0, None)
    assert change_log_pages.newest_number(site) == before


def test_a_later_subscribe_counts_over_what_a_link_kept(site):
    wrong = put(site, {"email": ANN})
    old = link(site, ANN)
    take_back(site, wrong)
    unsubscribe(old)
    assert not commands.run(site, [{"command": "subscribe", "email": ANN}]).errors
    assert found(site, ANN).unsubscribed_at is None


def test_a_token_has_a_place_for_a_topic(site):
    put(site, {"email": ANN})
    made = link(site, ANN)
    with database.session():
        key = generations.key(site.id, UNSUBSCRIBE, generations.read(site.id).current)
    begin = link_tokens.begin(made.generation, bytes.fromhex(site.uuid[:8]))
    packed = begin + bytes.fromhex(made.uuid.replace("-", "")) + (7).to_bytes(4, "big")
    found_link = links.read(UNSUBSCRIBE, link_tokens.write(packed, link_tokens.signer(key)))
    assert found_link is not None
    assert (found_link.uuid, found_link.topic_id, made.topic_id) == (made.uuid, 7, 0)
