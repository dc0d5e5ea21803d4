"""Events: which of a batch are kept, and in which order errors are told."""

from audience import clock
from audience.subscribers import events, subscribers
from schemas.values import MAX_PAGE, FieldError

ANN = "ann@example.com"
BAD = "nonsense"


def record(site, *items, refused=()):
    return events.record(site, list(enumerate(items)), refused)


def types(site, email=ANN):
    subscriber = subscribers.find(site, email)
    return [event.type for event in events.for_subscriber(site, subscriber)] if subscriber else None


def test_errors_are_told_in_the_order_of_the_request_not_of_their_text(site):
    items = [{"email": BAD if number in (1, 2, 10) else ANN, "type": "seen"} for number in range(11)]
    refused = [FieldError("events[3].type", "Send a type.")]
    accepted, errors, *_ = events.record(site, [each for each in enumerate(items) if each[0] != 3], refused)
    assert accepted == 7
    assert [error.field for error in errors] == [
        "events[1].email", "events[2].email", "events[3].type", "events[10].email",
    ]  # fmt: skip


def test_of_repeated_unique_events_the_first_that_finds_its_subscriber_counts(site):
    lost = {"email": ANN, "type": "$remove_tag", "tag": "vip", "unique_key": "1"}
    assert record(site, lost, {"email": "bob@example.com", "type": "seen", "unique_key": "1"})[0] == 1
    record(site, {"email": ANN, "type": "seen"})
    accepted, errors, *_ = record(site, lost, lost, {**lost, "email": "bob@example.com"})
    assert (accepted, errors) == (3, [])
    assert types(site) == ["seen", "$remove_tag"]
    assert types(site, "bob@example.com") == ["seen"]


def test_an_event_stays_unique_when_its_address_is_spelled_otherwise(site):
    spellings = [ANN, " ANN@EXAMPLE.com ", "Ann@Example.COM"]
    record(site, *({"email": email, "type": "bought", "unique_key": "7"} for email in spellings))
    assert types(site) == ["bought"]


def test_an_event_of_the_future_is_of_now_and_one_of_the_past_keeps_its_date(site, monkeypatch):
    monkeypatch.setattr(clock, "now_ms", lambda: 1_000_000)
    record(site, {"email": ANN, "type": "late", "date": 2_000_000}, {"email": ANN, "type": "old", "date": 5})
    subscriber = subscribers.find(site, ANN)
    assert subscriber is not None
    assert [(event.type, event.occurred_at) for event in events.for_subscriber(site, subscriber)] == [
        ("old", 5), ("late", 1_000_000),
    ]  # fmt: skip
    assert subscriber.last_event_at == 1_000_000


def test_pages_are_newest_first_and_end(site, monkeypatch):
    monkeypatch.setattr(events, "PAGE_SIZE", 2)
    record(site, *({"email": ANN, "type": f"seen{number}", "date": number} for number in range(3)))
    subscriber = subscribers.find(site, ANN)
    assert subscriber is not None
    pages = [events.page(site, subscriber.uuid, number) for number in (1, 2, 3, MAX_PAGE + 1)]
    assert [([event.type for event in found], more) for found, more in pages] == [
        (["seen2", "seen1"], True), (["seen0"], False), ([], False), ([], False),
    ]  # fmt: skip
