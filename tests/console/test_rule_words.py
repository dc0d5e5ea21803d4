"""A segment's rule as one sentence: English however it is nested, and to be read in one way only."""

import pytest

from audience.console.rule_conditions import condition
from audience.console.rule_words import in_words
from audience.segments import segments
from tests.rows import each_row

IN, VIP, OLD = {"status": "subscribed"}, {"tag": "vip"}, {"tag": "customer"}
PLAN = {"field": "plan", "in": ["monthly", "yearly"]}
QUIET = {"last_event_at": {"not_within_days": 180}}
DOMAIN = {"email_domain": "b.example"}
OPENED = {"event": "$open", "at_least": 2, "within_days": 30}


def every(*rules):
    return {"all": list(rules)}


def either(*rules):
    return {"any": list(rules)}


def none(*rules):
    return {"not": either(*rules)} if len(rules) > 1 else {"not": rules[0]}


SENTENCES = [
    (every(), "All subscribers."),
    (either(), "No subscribers."),
    (none(IN), "Subscribers who are unsubscribed."),
    (every(IN, VIP), "Subscribers who are subscribed and carry the tag vip."),
    (every(IN, PLAN), "Subscribers who are subscribed and whose plan is monthly or yearly."),
    (every(IN, VIP, OPENED),
     "Subscribers who are subscribed, carry the tag vip, and had the event $open at least 2 times in the"
     " last 30 days."),
    (every(IN, VIP, PLAN),
     "Subscribers who are subscribed, who carry the tag vip, and whose plan is monthly or yearly."),
    (every(IN, either(VIP, none(OLD))),
     "Subscribers who are subscribed, and who carry the tag vip or do not carry the tag customer."),
    (every(IN, either(VIP, QUIET), PLAN),
     "Subscribers who are subscribed, who carry the tag vip or had no event in the last 180 days, and "
     "whose plan is monthly or yearly."),
    (either(VIP, OLD, {"tag": "x"}),
     "Subscribers who carry the tag vip, carry the tag customer, or carry the tag x."),
    (either(IN, every(VIP, PLAN)),
     "Subscribers who are subscribed, or who carry the tag vip and whose plan is monthly or yearly."),
    (every(IN, either(VIP, every(QUIET, none(OLD)))),
     "Subscribers who are subscribed, and who carry the tag vip or (had no event in the last 180 days "
     "and do not carry the tag customer)."),
    (every(IN, either(VIP, every(PLAN, either(QUIET, OLD)))),
     "Subscribers who are subscribed, and who carry the tag vip or (whose plan is monthly or yearly and "
     "who (had no event in the last 180 days or carry the tag customer))."),
    (every(IN, none(DOMAIN, QUIET)),
     "Subscribers who are subscribed; but not those whose domain is b.example, nor those who had no "
     "event in the last 180 days."),
    (every(IN, none(every(VIP, PLAN))),
     "Subscribers who are subscribed; but not those who carry the tag vip and whose plan is monthly or "
     "yearly."),
    (none(VIP, QUIET),
     "All subscribers, but not those who carry the tag vip, nor those who had no event in the last 180 "
     "days."),
    (either(VIP, none(IN, PLAN)),
     "Subscribers who carry the tag vip, or who are unsubscribed and whose plan is neither monthly nor "
     "yearly."),
    (either(VIP, none(every(IN, OPENED))),
     "Subscribers who carry the tag vip, are unsubscribed, or had the event $open fewer than 2 times in the "
     "last 30 days."),
    (every(every(IN, every(VIP)), either(OLD)),
     "Subscribers who are subscribed, carry the tag vip, and carry the tag customer."),
    (every(none(none(VIP)), none(QUIET)),
     "Subscribers who carry the tag vip and had an event in the last 180 days."),
    (every(IN, none(every())), "No subscribers."),
    (every(IN, {"not": either()}), "Subscribers who are subscribed."),
    (none({"field": "plan", "is_not": "pro"}), "Subscribers whose plan is pro."),
    (none({"field": "orders", "gte": 2, "lt": 10}),
     "Subscribers whose value for orders is not at least 2 or whose value for orders is not less than "
     "10."),
    (either({"field": "orders", "gte": 2, "lt": 10}, VIP),
     "Subscribers whose value for orders is at least 2 but less than 10 or who carry the tag vip."),
    ({"created_at": {"gte": "2019-01-01", "lt": "2019-02-01"}},
     "Subscribers who were created from 1 Jan 2019 but before 1 Feb 2019."),
    ({"tag": {"in": ["a", "summer, 2019", "b c"]}},
     "Subscribers who carry the tag a, “summer, 2019” or “b c”."),
    (none({"tag": {"in": ["a", "b"]}}), "Subscribers who do not carry the tag a or b."),
    (none({"event": "$open", "within_days": 1}),
     "Subscribers who did not have the event $open in the last day."),
    (none({"unsubscribed_at": {"within_days": 30}}),
     "Subscribers who did not unsubscribe in the last 30 days."),
    ({"last_event_at": {"missing": True}}, "Subscribers who never had an event."),
    ({"last_event_at": {"lt": "2019-02-01"}}, "Subscribers who had their last event before 1 Feb 2019."),
    ({"unsubscribed_at": {"exists": False}}, "Subscribers who have not unsubscribed."),
    ({"updated_at": {"not_within_days": 7}}, "Subscribers who were not changed in the last 7 days."),
    ({"field": "first_name", "missing": True}, "Subscribers who have no value for first name."),
    (none({"field": "city", "starts_with": "New"}), "Subscribers whose city does not begin with New."),
    (none({"email": {"contains": "info"}}), "Subscribers whose address does not contain info."),
    ({"field": "birthday", "anniversary_in_next_days": 0},
     "Subscribers whose birthday has its anniversary today."),
    (none({"field": "birthday", "anniversary_in_next_days": 7}),
     "Subscribers whose birthday does not have its anniversary today or in the next 7 days."),
    ({"field": "renewal", "in_next_days": 1}, "Subscribers whose renewal is today or in the next day."),
    (none({"field": "renewal", "days_ago": 3}), "Subscribers whose renewal is not exactly 3 days ago."),
    ({"created_at": {"days_ago": 1}}, "Subscribers who were created exactly 1 day ago."),
    ({"last_event_at": {"days_ago": 0}}, "Subscribers who had their last event today."),
    (none({"unsubscribed_at": {"days_ago": 2}}), "Subscribers who did not unsubscribe exactly 2 days ago."),
    ({"field": "newsletter", "is": True}, "Subscribers whose newsletter is true."),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "sentence"), SENTENCES)
def test_a_rule_is_said_in_plain_english(app, rule, sentence):
    with app.app_context():
        assert in_words(rule) == sentence


@pytest.mark.parametrize("rule", [rule for rule, _ in SENTENCES])
def test_what_is_said_is_a_rule_that_a_site_may_have(site, rule):
    assert segments.count(site, rule) == 0


@each_row(
    ("rule", "phrase"),
    [
        (PLAN, "plan is monthly or yearly"),
        (QUIET, "no event in the last 180 days"),
        (OPENED, "event $open at least 2 times in the last 30 days"),
        (
            {"field": "birthday", "anniversary_in_next_days": 7},
            "birthday has its anniversary today or in the next 7 days",
        ),
        ({"created_at": {"within_days": 1}}, "created in the last day"),
        ({"updated_at": {"not_within_days": 9}}, "changed not in the last 9 days"),
        ({"field": "orders", "gte": 2, "lt": 10}, "orders at least 2 but less than 10"),
        ({"status": {"is_not": "subscribed"}}, "status is not subscribed"),
    ],
)
def test_a_condition_in_the_tree_is_a_phrase(rule, phrase):
    assert condition(rule) == phrase
