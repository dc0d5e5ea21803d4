"""The `webhooks` of the OpenAPI document: what a receiver gets, and what its answer means."""

from typing import Any

SIGNED = "Verify messages with the secret of the webhook, as Standard Webhooks describes."
HEADERS = {
    "webhook-id": "Identifies the message: each attempt to send the same changes has the same id.",
    "webhook-timestamp": "The time of the attempt, in seconds since 1970.",
    "webhook-signature": f"One signature, or two for 24 hours after the secret was rotated. {SIGNED}",
}
DESCRIPTION = (
    "Sent to the URL of each webhook: up to 500 changes, oldest first, at least once and in order. A message "
    "that is not answered with 2xx within 10 seconds is sent again, for three days. A test has the `type` "
    "`test` and "
    "no data."
)
HAND_OVER = (
    "Sent to a webhook with `sign_ups`, if the webhook is the `delivery` of a form. The service then sends "
    "no email: your server sends the links of the sign-up. A message that fails is sent again, for three "
    "days. An alarm "
    "(hardly anybody confirms, and sign-ups are held) has the `type` `alarm` and no data."
)
IMPORT_FINISHED = (
    "Sent to a webhook that names `import_finished` in its `kinds` when an import has finished "
    "or failed. A message that fails is sent again, for three days. A paused webhook gets the message when "
    "it is resumed."
)
FAILED = {"default": {"description": "A failure: the message is sent again."}}
TAKEN = {"2XX": {"description": "Accepted: the next message follows."}}
NO_MORE = {"410": {"description": "The receiver wants no more: the webhook is paused."}}


def describe() -> dict[str, Any]:
    """The `webhooks` section of the OpenAPI document."""
    changes = _message("webhook_message", "WebhookMessage", "Changes of a site", DESCRIPTION, TAKEN | NO_MORE)
    sign_up = _message("sign_ups_message", "SignUpsMessage", "A sign-up to confirm", HAND_OVER, TAKEN)
    ended = _message(
        "import_finished_message", "ImportFinishedMessage", "An import has ended", IMPORT_FINISHED, TAKEN
    )
    return {
        "message": {"post": changes},
        "sign_ups": {"post": sign_up},
        "import_finished": {"post": ended},
    }


def _message(
    name: str, schema: str, summary: str, description: str, outcomes: dict[str, Any]
) -> dict[str, Any]:
    parameters = [
        {"in": "header", "name": name, "required": True, "schema": {"type": "string"}, "description": text}
        for name, text in HEADERS.items()
    ]
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {
        "operationId": name,
        "tags": ["webhooks"],
        "summary": summary,
        "description": description,
        "security": [],
        "parameters": parameters,
        "requestBody": {"required": True, "content": content},
        "responses": outcomes | FAILED,
    }
