"""The `webhooks` of the OpenAPI document: what a receiver gets, and what its answer means."""

from typing import Any

MESSAGE = {"$ref": "#/components/schemas/WebhookMessage"}
SIGNED = "Verify them with the secret of the webhook, as Standard Webhooks says."
HEADERS = {
    "webhook-id": "Names webhook, run, range and the changes told: the same for each try of them.",
    "webhook-timestamp": "Of the try, in seconds since 1970.",
    "webhook-signature": f"One signature, or two for 24 hours after the secret was rotated. {SIGNED}",
}
DESCRIPTION = (
    "Sent to the URL of each webhook: up to 500 changes, oldest first, at least once and in order. What is "
    "not answered by 2xx within 10 seconds is sent again, for three days. A test has the `type` `test` and "
    "no data."
)


def describe() -> dict[str, Any]:
    """The `webhooks` section of the OpenAPI document."""
    parameters = [
        {"in": "header", "name": name, "required": True, "schema": {"type": "string"}, "description": text}
        for name, text in HEADERS.items()
    ]
    message = {
        "operationId": "webhook_message",
        "tags": ["webhooks"],
        "summary": "Changes of a site",
        "description": DESCRIPTION,
        "security": [],
        "parameters": parameters,
        "requestBody": {"required": True, "content": {"application/json": {"schema": MESSAGE}}},
        "responses": {
            "2XX": {"description": "Taken: the next message follows."},
            "410": {"description": "The receiver wants no more: the webhook is paused."},
            "default": {"description": "A failure: the message is sent again."},
        },
    }
    return {"message": {"post": message}}
