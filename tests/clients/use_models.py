"""Uses the models that datamodel-codegen makes, with httpx; their types are checked, and then they run."""

import os
import time

import httpx
from models import (
    Accepted,
    Error,
    FoundSubscriber,
    FoundSubscribers,
    ImportAnswer,
    ImportItem,
    ImportSubscribers,
    SearchSubscribers,
)

publishable_key, _, secret_key = os.environ["AUDIENCE_KEYS"].partition(":")
http = httpx.Client(base_url=f"{os.environ['AUDIENCE_URL']}/v1", auth=(publishable_key, secret_key))
EMAIL = "models@example.com"

body = ImportSubscribers(subscribers=[ImportItem(email=EMAIL, tags=["models"])])
sent = http.post("/batch/subscribers", json=body.model_dump(mode="json", exclude_none=True))
accepted = Accepted.model_validate(sent.json())
assert accepted.failed == 0
while True:
    progress = ImportAnswer.model_validate(http.get(f"/batch/imports/{accepted.import_id}").json())
    if progress.data.attributes.status.value == "finished":
        break
    time.sleep(0.05)
found = FoundSubscriber.model_validate(http.get("/fetch/subscribers", params={"email": EMAIL}).json())
assert found.data is not None
assert found.data.attributes.email == EMAIL
wanted = SearchSubscribers(tags=["models"]).model_dump(mode="json", exclude_none=True)
searched = FoundSubscribers.model_validate(http.post("/fetch/search", json=wanted).json())
assert [each.attributes.email for each in searched.data] == [EMAIL]
refused = Error.model_validate(http.get("/batch/imports/999").json())
assert refused.model_dump()["code"] == "import_not_found"
