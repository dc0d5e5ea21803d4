"""The judge of random histories finds what is seeded, and leaves open what it cannot tell."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.stories.accepted import ABSENT, SUBSCRIBE, UNSUBSCRIBE
from tests.stories.invariant import Found, Judge, assert_holds

ANN, BOB = "ann@example.com", "bob@example.com"
NOON = 1_790_000_000_000 - 1_790_000_000_000 % 86_400_000 + 43_200_000  # of a day in UTC
HOUR, DAY = 3_600_000, 86_400_000
TODAY = datetime.fromtimestamp(NOON / 1000, UTC).date()
YESTERDAY = TODAY - timedelta(days=1)
PLAN, VIP = ("field", "plan"), ("tag", "vip")


class Told:
    """A judge, told of one request after another, an hour apart."""

    def __init__(self, zone="UTC"):
        self.judge, self.now = Judge(zone), NOON

    def request(self, queue="", source="", certain=True, later=HOUR):
        self.now += later
        request = self.judge.send(self.now, self.now, self.now)
        self.judge.answer(request, queue, source, certain)
        return request

    def says(self, kind, queue="", source="", day=None, later=HOUR, **more):
        self.judge.consent(self.request(queue, source, later=later, **more), ANN, kind, day=day)
        return self

    def imports(self, kind, name="import 1", day=None, later=HOUR):
        return self.says(kind, "site", name, day, later)

    def creates(self, email=ANN, queue="", source="", certain=True, **values):
        request = self.request(queue, source, certain)
        self.judge.mention(request, email)
        self.judge.write(request, email, {("field", key): value for key, value in values.items()})
        return self

    def found(self, **subscribed):
        people = {f"{name}@example.com": is_subscribed for name, is_subscribed in subscribed.items()}
        return self.judge.violations(found(people))


def found(people, values=None, **more):
    yes = sum(people.values())
    counts = (len(people), yes, len(people) - yes)
    values = {email: (values or {}).get(email, {}) for email in people}
    return Found(values, people, **({"counts": counts} | more))


def test_an_unsubscribe_that_is_the_latest_must_count():
    told = Told().creates().says(UNSUBSCRIBE)
    assert told.found(ann=False) == []
    [violation] = told.found(ann=True)
    assert "ann@example.com is subscribed despite the unsubscribe of a direct request" in violation
    assert told.says(SUBSCRIBE).found(ann=True) == []
    assert told.found(ann=False) == []  # never: must be subscribed


@pytest.mark.parametrize("waits", [("", ""), ("site", "import 1"), ("act 1", "act 1")])
def test_one_that_waits_keeps_the_instant_of_its_acceptance(waits):
    old = NOON - 2_000 * DAY
    assert Told().creates().says(UNSUBSCRIBE, *waits).says(SUBSCRIBE, day=old).found(ann=True)
    assert not Told().creates().says(UNSUBSCRIBE, *waits).says(SUBSCRIBE).found(ann=True)


def test_the_later_instant_counts_not_the_later_number():
    day = NOON - DAY
    assert not Told().says(SUBSCRIBE).says(UNSUBSCRIBE, day=day).found(ann=True)
    assert Told().says(SUBSCRIBE, day=day).says(UNSUBSCRIBE, day=day + 1).found(ann=True)
    assert Told().says(UNSUBSCRIBE, day=day + 1).says(SUBSCRIBE, day=day).found(ann=True)


def test_of_equal_instants_the_higher_number_counts_if_both_are_undated_else_the_unsubscribe():
    assert not Told().says(UNSUBSCRIBE).says(SUBSCRIBE, later=0).found(ann=True)
    assert Told().says(SUBSCRIBE).says(UNSUBSCRIBE, later=0).found(ann=True)
    day = NOON - DAY
    assert Told().says(UNSUBSCRIBE, day=day).says(SUBSCRIBE, day=day).found(ann=True)
    assert Told().says(UNSUBSCRIBE, day=NOON + DAY).says(SUBSCRIBE, later=0).found(ann=True)


def test_a_date_in_the_future_counts_as_its_acceptance():
    assert not Told().says(UNSUBSCRIBE, day=NOON + 9 * DAY).says(SUBSCRIBE).found(ann=True)
    assert Told().says(SUBSCRIBE, day=NOON + 9 * DAY).says(UNSUBSCRIBE).found(ann=True)


def test_acceptance_never_goes_back():
    assert Told().says(SUBSCRIBE).says(UNSUBSCRIBE, later=-DAY).found(ann=True)
    assert not Told().says(UNSUBSCRIBE).says(SUBSCRIBE, later=-DAY).found(ann=True)


def test_an_instant_of_a_clock_that_was_ahead_is_compared_as_now_in_favour_of_an_unsubscribe():
    told = Told().says(SUBSCRIBE, later=9 * DAY)
    back = told.now - 8 * DAY
    assert told.says(UNSUBSCRIBE, day=back, later=-8 * DAY).found(ann=True)
    assert (
        not Told()
        .says(SUBSCRIBE, later=9 * DAY)
        .says(UNSUBSCRIBE, day=back - DAY, later=-8 * DAY)
        .found(ann=True)
    )


def test_a_day_is_its_last_millisecond_for_an_unsubscribe_its_first_for_a_subscription():
    noon_of_yesterday = NOON - DAY
    assert Told().says(SUBSCRIBE, day=noon_of_yesterday).says(UNSUBSCRIBE, day=YESTERDAY).found(ann=True)
    assert Told().says(UNSUBSCRIBE, day=noon_of_yesterday).says(SUBSCRIBE, day=YESTERDAY).found(ann=True)
    assert Told().says(SUBSCRIBE).says(UNSUBSCRIBE, day=TODAY, later=0).found(ann=True)
    assert not Told().says(SUBSCRIBE).says(UNSUBSCRIBE, day=YESTERDAY).found(ann=True)


@pytest.mark.parametrize(("zone", "is_later"), [("Pacific/Kiritimati", False), ("America/Los_Angeles", True)])
def test_a_day_is_one_of_the_site_s_zone(zone, is_later):
    end = NOON - DAY + 12 * HOUR  # of yesterday, in UTC
    told = Told(zone).says(SUBSCRIBE, day=end + HOUR).says(UNSUBSCRIBE, day=YESTERDAY)
    assert bool(told.found(ann=True)) == is_later


def test_coming_in_subscribed_is_no_event():
    assert Told().creates().says(UNSUBSCRIBE, day=NOON - 2_000 * DAY).creates().found(ann=True)


def test_undoing_a_bulk_action_resubscribes_and_undoing_an_import_drops_only_what_waits():
    act = Told().creates().says(UNSUBSCRIBE, "act 1", "act 1")
    act.judge.empty()
    act.judge.undo(act.request(), "act 1")
    assert not act.found(ann=True)
    applied, waiting = Told().creates().imports(UNSUBSCRIBE), Told().creates().imports(UNSUBSCRIBE)
    applied.judge.empty()
    for told in (applied, waiting):
        told.judge.undo(told.request("site"), "import 1")
    assert applied.found(ann=True)
    assert not waiting.found(ann=True)


def test_an_undone_subscription_is_none():
    told = Told().creates().says(UNSUBSCRIBE).imports(SUBSCRIBE)
    told.judge.empty()
    assert not told.found(ann=True)
    told.judge.undo(told.request("site"), "import 1")
    assert told.found(ann=True)


def test_whoever_is_erased_is_not_found_before_a_later_subscribe():
    told = Told().creates().imports(SUBSCRIBE)
    told.judge.erase(told.request(), ANN)
    assert any("is found despite" in each for each in told.found(ann=False))
    assert told.found() == []
    assert any("is found" in each for each in told.says(SUBSCRIBE, day=NOON - DAY).found(ann=True))
    assert told.says(SUBSCRIBE).found(ann=True) == []


def test_an_unsubscribe_of_who_is_erased_counts():
    told = Told().creates()
    told.judge.erase(told.request(), ANN)
    assert told.imports(SUBSCRIBE).says(UNSUBSCRIBE).found(ann=True)


def test_nothing_accepted_is_missing_and_nobody_is_found_who_was_not_sent():
    told = Told().creates()
    assert told.found() == ["ann@example.com is missing"]
    assert told.found(ann=True, bob=True) == ["bob@example.com was never sent"]
    told = Told().creates(queue="site", source="import 1")
    told.judge.imports["1"] = 2
    assert told.found() == ["ann@example.com is missing"]
    assert told.judge.violations(found({ANN: True}, imports={"1": 1})) == [
        "1 rows of import 1 were applied, 2 were accepted"
    ]
    told.judge.undo(told.request("site"), "import 1")
    assert told.found() == []


def test_who_may_have_been_sent_may_be_there():
    told = Told().creates(certain=False)
    assert told.found() == told.found(ann=True) == []


def test_whom_a_bulk_action_chose_is_mentioned():
    told = Told().creates(queue="site", source="import 1")
    told.judge.empty()
    told.judge.mention(told.request("act 1", "act 1"), ANN)
    told.judge.undo(told.request("site"), "import 1")
    assert told.found() == ["ann@example.com is missing"]


def test_counts_are_a_recount():
    told = Told().creates()
    assert told.judge.violations(found({ANN: True}, counts=(1, 0, 1)))
    told.judge.write(told.request(), ANN, {VIP: True})
    values = {ANN: {VIP: True}}
    assert told.judge.violations(found({ANN: True}, values, tags={"vip": 1})) == []
    assert told.judge.violations(found({ANN: True}, values, tags={"vip": 2}))


def has(told, **values):
    return told.judge.violations(
        found({ANN: True}, {ANN: {("field", key): each for key, each in values.items()}})
    )


def test_values_are_those_of_the_last_writer():
    told = Told().creates(plan="pro").creates(plan="free")
    assert has(told, plan="free") == []
    assert has(told, plan="pro") == ["ann@example.com has \"pro\" as ('field', 'plan'), not \"free\""]
    assert has(told)
    assert has(told, plan="free", city="x")
    told.judge.write(told.request(), ANN, {PLAN: ABSENT})
    assert has(told) == []
    assert has(told, plan="free")


def test_of_a_waiting_and_a_direct_writer_either_may_be_the_last():
    told = Told().creates(queue="site", plan="pro").creates(plan="free")
    assert has(told, plan="pro") == has(told, plan="free") == []
    assert has(told)
    told = Told().creates(queue="site", plan="pro").creates(queue="site", plan="free")
    assert has(told, plan="pro")
    assert not has(told, plan="free")
    told = Told().creates(queue="site", plan="pro")
    told.judge.empty()
    assert has(told.creates(plan="free"), plan="pro")


def test_true_is_not_one():
    assert has(Told().creates(plan=1), plan=True)


def test_nothing_of_who_was_there_before_is_left_after_an_erasure():
    told = Told().creates(plan="pro")
    told.judge.erase(told.request(), ANN)
    told.says(SUBSCRIBE).creates()
    assert has(told, plan="pro")
    assert not has(told)


def test_a_deleted_tag_is_nobody_s():
    told = Told().creates()
    told.judge.write(told.request(), ANN, {VIP: True})
    told.judge.delete_tag(told.request(), "VIP")
    assert told.judge.violations(found({ANN: True}, {ANN: {VIP: True}}))
    assert told.found(ann=True) == []


def test_consent_moves_along_and_stays_with_the_old_address():
    told = Told().creates().says(UNSUBSCRIBE)
    told.judge.move(told.request(), ANN, BOB)
    assert told.found(bob=False) == []
    assert told.found(bob=True)
    told.creates()
    assert told.found(ann=False, bob=False) == []
    assert told.found(ann=True, bob=False)


def test_whoever_moves_unsubscribed_is_not_subscribed_by_what_waited_for_the_new_address():
    for is_away in (True, False):
        told = Told()
        told.judge.consent(told.request("site", "import 1"), BOB, SUBSCRIBE)
        told.creates()
        if is_away:
            told.judge.consent(told.request(), ANN, UNSUBSCRIBE, day=NOON - DAY)
        told.judge.move(told.request(), ANN, BOB)
        assert bool(told.found(bob=True)) == is_away


def test_after_a_move_without_an_answer_what_was_said_at_either_address_may_count():
    for email, kind, ann_left, bob_left in [
        (ANN, SUBSCRIBE, False, False), (BOB, SUBSCRIBE, True, False), (ANN, UNSUBSCRIBE, True, True),
    ]:  # fmt: skip
        told = Told().creates()
        told.judge.consent(told.request(), email, kind)
        told.judge.move(told.request(certain=False), ANN, BOB)
        told.judge.consent(request := told.request(), ANN, UNSUBSCRIBE, day=NOON - DAY)
        told.judge.consent(request, BOB, UNSUBSCRIBE, day=NOON - DAY)
        assert bool(told.found(ann=True)) == ann_left
        assert bool(told.found(bob=True)) == bob_left


def test_who_may_be_erased_may_be_kept_out_of_an_import():
    told = Told().creates()
    told.judge.erase(told.request(certain=False), ANN)
    assert told.creates(queue="site", source="import 1").found() == []
    assert told.creates().found() == ["ann@example.com is missing"]


def test_an_unsubscribe_stays_where_somebody_may_have_moved_from():
    told = Told().creates().says(UNSUBSCRIBE)
    told.judge.move(told.request(certain=False), ANN, BOB)
    assert told.found(ann=True)
    assert told.found(bob=True) == told.found() == []


def test_who_may_be_erased_may_be_brought_in_anew():
    for is_asked in (True, False):
        told = Told().creates().imports(UNSUBSCRIBE, "import 1")
        if is_asked:
            told.judge.erase(told.request(certain=False), ANN)
        request = told.request("site", "import 2")
        told.judge.consent(request, ANN, SUBSCRIBE, creates=True)
        assert bool(told.found(ann=True)) != is_asked


def test_a_restore_keeps_who_unsubscribed_and_who_was_erased_since():
    told = Told().creates().creates(BOB)
    kept = told.judge.keep()
    told.says(UNSUBSCRIBE)
    told.judge.erase(told.request(), BOB)
    before = told.judge
    told.judge = before.restored(kept)
    assert told.found(ann=False) == []
    assert told.found(ann=True)
    assert told.found(ann=False, bob=False)


def test_after_a_restore_who_may_have_been_erased_since_may_be_gone():
    for is_asked in (True, False):
        told = Told().creates(plan="gold")
        kept = told.judge.keep()
        if is_asked:
            told.judge.erase(told.request(certain=False), ANN)
        told.judge = told.judge.restored(kept)
        assert bool(told.found()) != is_asked
        told.judge = told.judge.restored(told.judge.keep())
        assert bool(told.found()) != is_asked
        assert told.says(UNSUBSCRIBE).found(ann=True)


def test_what_was_said_before_an_erasure_is_gone_with_it():
    told = Told().says(UNSUBSCRIBE, "site", "import 1", day=NOON + DAY)
    told.now -= HOUR
    told.judge.erase(told.request(), ANN)
    assert told.says(SUBSCRIBE, later=0).found(ann=True) == []


def test_a_violation_tells_what_was_sent_about_the_person():
    told = Told().creates().creates(BOB).imports(UNSUBSCRIBE, day=YESTERDAY)
    told.judge.undo(told.request("site", certain=False), "import 1")
    told.judge.move(told.request(certain=False), ANN, "eve@example.com")
    told.judge.erase(told.request(), ANN)
    with pytest.raises(AssertionError) as error:
        assert_holds(told.judge, found({ANN: True, BOB: True}))
    assert str(error.value).splitlines()[2:-1] == [
        "sent:",
        "number 1: mention, by a direct request",
        f"number 5: unsubscribe dated {YESTERDAY}, row 0, by import 1",
        "number 7: undo of import 1, by a direct request, without an answer",
        "number 9: move ann@example.com to eve@example.com, by a direct request, without an answer",
        "number 11: erase, by a direct request",
    ]
