"""Uses the client that openapi-python-client makes; its types are checked, and then it runs."""

import base64
import os
from io import BytesIO

from audience_client import AuthenticatedClient
from audience_client.api.answers import post_experimental_validation
from audience_client.api.change_log import get_fetch_changes
from audience_client.api.files import post_batch_imports
from audience_client.api.segments import get_stats_segment, post_fetch_segments, post_fetch_segments_preview
from audience_client.api.stats import get_stats_site
from audience_client.api.subscribers import get_fetch_search, get_fetch_subscribers, post_fetch_subscribers
from audience_client.models import (
    AllRule,
    ChangeList,
    Counts,
    CreatedAtRule,
    CreatedAtRuleCreatedAtOperators,
    CreateSubscriber,
    Error,
    FoundSubscriber,
    FoundSubscribers,
    Import,
    NewSegment,
    NotRule,
    PostBatchImportsMap,
    PreviewSegment,
    ReceivedFile,
    RulesOnly,
    SaveSegment,
    SegmentAnswer,
    SegmentPreview,
    Subscriber,
    SubscriberAnswer,
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
created = post_fetch_subscribers.sync(client=client, body=CreateSubscriber(subscriber=ann))
assert isinstance(created, SubscriberAnswer)
assert created.data.attributes.fields["plan"] == "pro"
assert created.data.attributes.unsubscribed_at is None

found = get_fetch_subscribers.sync(client=client, email=EMAIL)
assert isinstance(found, FoundSubscriber)
assert isinstance(found.data, Subscriber)
assert found.data.attributes.uuid == created.data.attributes.uuid
nobody = get_fetch_subscribers.sync(client=client, email="nobody@example.com")
assert isinstance(nobody, FoundSubscriber)
assert nobody.data is None

searched = get_fetch_search.sync(client=client, created_atgt="2026-01-01", tags=["py"])
assert isinstance(searched, FoundSubscribers)
assert [each.attributes.email for each in searched.data] == [EMAIL]
assert searched.meta.ignored == []
before = get_fetch_search.sync(client=client, created_atlt="2026-01-01")
assert isinstance(before, FoundSubscribers)
assert before.data == []

since = CreatedAtRule(created_at=CreatedAtRuleCreatedAtOperators(gt="2026-01-01"))
rules = AllRule(all_=[TagRule(tag="py"), since, NotRule(not_=TagRule(tag="gone"))])
preview = post_fetch_segments_preview.sync(client=client, body=PreviewSegment(segment=RulesOnly(rules=rules)))
assert isinstance(preview, SegmentPreview)
assert preview.user_count == 1
assert preview.data[0].attributes.email == EMAIL
saved = post_fetch_segments.sync(client=client, body=SaveSegment(segment=NewSegment(name="Py", rules=rules)))
assert isinstance(saved, SegmentAnswer)
assert saved.data.attributes.rules == rules
counts = get_stats_segment.sync(client=client, segment_id=saved.data.id)
assert isinstance(counts, Counts)
assert counts.subscriber_count == 1

everybody = get_stats_site.sync(client=client)
assert isinstance(everybody, Counts)
assert everybody.user_count == everybody.subscriber_count + everybody.unsubscriber_count
missing = get_stats_segment.sync(client=client, segment_id="999")
assert isinstance(missing, Error)
assert missing.error.startswith("Segment not found")

judged = post_experimental_validation.sync(client=client, body=ValidateEmail(email="ann@gmial.com"))
assert isinstance(judged, Validation)
assert judged.suggestion == "ann@gmail.com"

file = File(payload=BytesIO(b"Mail,Town\nbob@example.com,Oslo\n"))
meanings = PostBatchImportsMap.from_dict({"map[Mail]": "email"})  # the generator leaves the name `map` out
received = post_batch_imports.sync(client=client, body=file, map_=meanings, tag=["moved", "py"])
assert isinstance(received, ReceivedFile)
assert isinstance(received.data, Import)
assert received.data.attributes.total == 1
assert [column.meaning for column in received.meta.columns] == ["email", "field:Town"]

log = get_fetch_changes.sync(client=client, after=0)
assert isinstance(log, ChangeList)
sent = {"type": "changes", "timestamp": "2026-08-21T02:08:30.364Z", "data": log.to_dict()["data"]}
message = WebhookMessage.from_dict(sent)
assert any(change.attributes.email == EMAIL for change in message.data)
assert message.data == log.data
