"""Uses the client that openapi-python-client makes; its types are checked, and then it runs."""

import base64
import os
from io import BytesIO

from audience_client import AuthenticatedClient
from audience_client.api.answers import validate_email
from audience_client.api.change_log import list_changes
from audience_client.api.files import import_file
from audience_client.api.imports import import_subscribers
from audience_client.api.segments import count_segment_by_query, create_segment, preview_segment
from audience_client.api.stats import count_site
from audience_client.api.subscribers import create_subscriber, find_subscriber, search_by_query
from audience_client.models import (
    Accepted,
    AllRule,
    ChangeList,
    Counts,
    CreatedAtRule,
    CreatedAtRuleCreatedAtOperators,
    CreateSubscriber,
    Error,
    FileMeta,
    FoundSubscriber,
    FoundSubscribers,
    Import,
    ImportFileConsent,
    ImportFileMap,
    ImportItem,
    ImportSubscribers,
    LinkedSubscriber,
    NewSegment,
    NotRule,
    PreviewSegment,
    ReceivedFile,
    RulesOnly,
    SaveSegment,
    Segment,
    SegmentAnswerOrNull,
    SegmentPreview,
    Subscriber,
    SubscriberAnswerOrNull,
    SubscriberInput,
    SubscriberInputFields,
    TagRule,
    ValidateEmail,
    Validation,
    WebhookMessage,
)
from audience_client.types import File

keys = base64.b64encode(os.environ["AUDIENCE_KEYS"].encode()).decode()
client = AuthenticatedClient(base_url=os.environ["AUDIENCE_URL"], token=keys, prefix="Basic")
EMAIL = "py@example.com"

values = SubscriberInputFields.from_dict({"plan": "pro", "seats": 3, "more": {"places": ["Oslo"]}})
ann = SubscriberInput(email=EMAIL, first_name="Ann", tags=["py"], fields=values)
created = create_subscriber.sync(client=client, body=CreateSubscriber(subscriber=ann))
assert isinstance(created, SubscriberAnswerOrNull)
assert isinstance(created.data, Subscriber)
assert created.data.attributes.fields["plan"] == "pro"
assert created.data.attributes.unsubscribed_at is None

found = find_subscriber.sync(client=client, email=EMAIL)
assert isinstance(found, FoundSubscriber)
assert isinstance(found.data, LinkedSubscriber)
assert found.data.attributes.uuid == created.data.attributes.uuid
nobody = find_subscriber.sync(client=client, email="nobody@example.com")
assert isinstance(nobody, FoundSubscriber)
assert nobody.data is None

searched = search_by_query.sync(client=client, created_atgt="2026-01-01", tags=["py"])
assert isinstance(searched, FoundSubscribers)
assert [each.attributes.email for each in searched.data] == [EMAIL]
assert searched.meta.ignored == []
before = search_by_query.sync(client=client, created_atlt="2026-01-01")
assert isinstance(before, FoundSubscribers)
assert before.data == []

since = CreatedAtRule(created_at=CreatedAtRuleCreatedAtOperators(gt="2026-01-01"))
rules = AllRule(all_=[TagRule(tag="py"), since, NotRule(not_=TagRule(tag="gone"))])
preview = preview_segment.sync(client=client, body=PreviewSegment(segment=RulesOnly(rules=rules)))
assert isinstance(preview, SegmentPreview)
assert preview.user_count == 1
assert preview.data[0].attributes.email == EMAIL
saved = create_segment.sync(client=client, body=SaveSegment(segment=NewSegment(name="Py", rules=rules)))
assert isinstance(saved, SegmentAnswerOrNull)
assert isinstance(saved.data, Segment)
assert saved.data.attributes.rules == rules
counts = count_segment_by_query.sync(client=client, segment_id=saved.data.id)
assert isinstance(counts, Counts)
assert counts.subscriber_count == 1

everybody = count_site.sync(client=client)
assert isinstance(everybody, Counts)
assert everybody.user_count == everybody.subscriber_count + everybody.unsubscriber_count
missing = count_segment_by_query.sync(client=client, segment_id="999")
assert isinstance(missing, Error)
assert missing.error.startswith("Segment not found")

judged = validate_email.sync(client=client, body=ValidateEmail(email="ann@gmial.com"))
assert isinstance(judged, Validation)
assert judged.suggestion == "ann@gmail.com"

people = ImportSubscribers(subscribers=[ImportItem(email="bob@example.com", tags=["moved", "py"])])
accepted = import_subscribers.sync(client=client, body=people)
assert isinstance(accepted, Accepted)
assert (accepted.result, accepted.failed) == (1, 0)

file = File(payload=BytesIO(b"Mail,Town\nbob@example.com,Oslo\n"))
meanings = ImportFileMap.from_dict({"map[Mail]": "email"})  # the generator leaves the name `map` out
consent = ImportFileConsent.SUBSCRIBED
received = import_file.sync(client=client, body=file, map_=meanings, tag=["moved", "py"], consent=consent)
assert isinstance(received, ReceivedFile)
assert isinstance(received.data, Import)
assert received.data.attributes.total == 1
assert isinstance(received.meta, FileMeta)
assert [column.meaning for column in received.meta.columns] == ["email", "field:Town"]

log = list_changes.sync(client=client, after=0)
assert isinstance(log, ChangeList)
sent = {"type": "changes", "timestamp": "2026-08-21T02:08:30.364Z", "data": log.to_dict()["data"]}
message = WebhookMessage.from_dict(sent)
assert any(change.attributes.email == EMAIL for change in message.data)
assert message.data == log.data
