"""The codes of errors, each with its remedy (docs/errors.md), and sentences that carry their code.

A code that has a word by which existing clients recognize a status (docs/contract.md, Errors) comes with that
status alone.
"""

from enum import StrEnum
from typing import Any, Self


class Code(StrEnum):
    """A code of an error: programs go by the code, people read the sentence."""

    BODY_INCOMPLETE = "body_incomplete"
    BODY_NOT_JSON = "body_not_json"
    BODY_NOT_OBJECT = "body_not_object"
    BODY_OUT_OF_BOUNDS = "body_out_of_bounds"
    BAD_REQUEST = "bad_request"
    SEVERAL_SITES = "several_sites"
    SEVERAL_SUBSCRIBERS = "several_subscribers"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    FIELD_NOT_FOUND = "field_not_found"
    FORM_NOT_FOUND = "form_not_found"
    IMPORT_NOT_FOUND = "import_not_found"
    NOT_FOUND = "not_found"
    PATH_NOT_FOUND = "path_not_found"
    REPORT_NOT_FOUND = "report_not_found"
    SEGMENT_NOT_FOUND = "segment_not_found"
    SIGN_UP_NOT_FOUND = "sign_up_not_found"
    SUBSCRIBER_NOT_FOUND = "subscriber_not_found"
    TAG_NOT_FOUND = "tag_not_found"
    UNDO_NOT_FOUND = "undo_not_found"
    UPLOAD_NOT_FOUND = "upload_not_found"
    WEBHOOK_NOT_FOUND = "webhook_not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    BODY_TIMEOUT = "body_timeout"
    UPLOAD_UNDER_WAY = "upload_under_way"
    RECORD_CHANGED = "record_changed"
    BODY_TOO_LARGE = "body_too_large"
    COMPRESSED_BODY = "compressed_body"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    FILE_QUESTIONS = "file_questions"
    FILE_REFUSED = "file_refused"
    IDEMPOTENCY_KEY_REUSED = "idempotency_key_reused"
    VALIDATION_FAILED = "validation_failed"
    RATE_LIMITED = "rate_limited"
    SIGN_UP_TOO_SOON = "sign_up_too_soon"
    TOO_MANY_FAILURES = "too_many_failures"
    UNEXPECTED_ERROR = "unexpected_error"
    BUSY = "busy"
    DATABASE_UNAVAILABLE = "database_unavailable"
    DISK_FAULT = "disk_fault"
    NOT_READY = "not_ready"
    OUTCOME_UNKNOWN = "outcome_unknown"
    SERVICE_UNAVAILABLE = "service_unavailable"
    UPLOAD_ABANDONED = "upload_abandoned"

    ADDRESS_DENIED = "address_denied"
    ADDRESS_TAKEN = "address_taken"
    CURSOR_TOO_OLD = "cursor_too_old"
    DOMAIN_REFUSED = "domain_refused"
    DOMAIN_WITHOUT_MAIL = "domain_without_mail"
    ERASED_ADDRESS = "erased_address"
    FORM_NOT_READY = "form_not_ready"
    IN_USE = "in_use"
    LINK_REFUSED = "link_refused"
    MAIL_NOT_READY = "mail_not_ready"
    MALFORMED_ADDRESS = "malformed_address"
    MALFORMED_DATE = "malformed_date"
    MALFORMED_KEY = "malformed_key"
    MALFORMED_ROW = "malformed_row"
    MALFORMED_VALUE = "malformed_value"
    NOT_UNCONFIRMED = "not_unconfirmed"
    NOT_UNDOABLE = "not_undoable"
    OUT_OF_RANGE = "out_of_range"
    RAGGED_ROW = "ragged_row"
    REFUSED_VALUE = "refused_value"
    REPEATED_KEY = "repeated_key"
    REQUIRED = "required"
    RESERVED_KEY = "reserved_key"
    SIGN_UP_DECLINED = "sign_up_declined"
    SIGN_UP_OPEN = "sign_up_open"
    SIGN_UP_OVER = "sign_up_over"
    TAG_BUSY = "tag_busy"
    TAG_EXISTS = "tag_exists"
    TAG_MISMATCH = "tag_mismatch"
    TOO_DEEP = "too_deep"
    TOO_LONG = "too_long"
    TOO_MANY = "too_many"
    TWO_SUBSCRIBERS = "two_subscribers"
    UNKNOWN_CHOICE = "unknown_choice"
    UNKNOWN_DOMAIN = "unknown_domain"
    UNKNOWN_KEY = "unknown_key"
    UNKNOWN_RECORD = "unknown_record"
    UNKNOWN_SUBSCRIBER = "unknown_subscriber"
    UNSTORABLE = "unstorable"
    URL_REFUSED = "url_refused"
    WRONG_TYPE = "wrong_type"


REQUEST_CODES: dict[Code, tuple[int, str]] = {  # each with the one status that it comes with, and the remedy
    Code.BODY_INCOMPLETE: (400, "The body broke off. Send the request again."),
    Code.BODY_NOT_JSON: (400, "Send one JSON object, in UTF-8."),
    Code.BODY_NOT_OBJECT: (400, "Send one JSON object, not an array or a single value."),
    Code.BODY_OUT_OF_BOUNDS: (400, "Nest less deeply, split the request, or send shorter numbers."),
    Code.BAD_REQUEST: (400, "Correct the request as `error` says."),
    Code.SEVERAL_SITES: (400, "Send one `site_uuid`, or the same one in query and body."),
    Code.SEVERAL_SUBSCRIBERS: (400, "Send one `email`, one `uuid`, or both of one subscriber."),
    Code.UNAUTHORIZED: (401, "Check the publishable key, the secret key and the `site_uuid`."),
    Code.FORBIDDEN: (403, "Ask the operator for a key with the scope that the endpoint needs."),
    Code.FIELD_NOT_FOUND: (404, "`GET /v1/fetch/fields` lists the fields of the site."),
    Code.FORM_NOT_FOUND: (404, "`GET /v1/fetch/forms` lists the forms of the site."),
    Code.IMPORT_NOT_FOUND: (404, "`GET /v1/batch/imports` lists the newest imports of the site."),
    Code.NOT_FOUND: (404, "Check the id, and the site."),
    Code.PATH_NOT_FOUND: (404, "Check the path: `/docs/api` lists the endpoints."),
    Code.REPORT_NOT_FOUND: (404, "`GET /v1/fetch/reports` lists the reports of the site."),
    Code.SEGMENT_NOT_FOUND: (404, "`GET /v1/fetch/segments` lists the segments of the site."),
    Code.SIGN_UP_NOT_FOUND: (404, "`GET /v1/fetch/sign_ups` lists the sign-ups of the site."),
    Code.SUBSCRIBER_NOT_FOUND: (404, "Check the address or the uuid, and the site."),
    Code.TAG_NOT_FOUND: (404, "`GET /v1/fetch/tags` lists the tags of the site."),
    Code.UNDO_NOT_FOUND: (404, "There is no undo yet: `POST` to the same path requests one."),
    Code.UPLOAD_NOT_FOUND: (404, "The file is no longer kept. Send it again."),
    Code.WEBHOOK_NOT_FOUND: (404, "`GET /v1/fetch/webhooks` lists the webhooks of the site."),
    Code.METHOD_NOT_ALLOWED: (405, "Use a method that the header `Allow` lists."),
    Code.BODY_TIMEOUT: (408, "The body did not arrive in time. Send the request again."),
    Code.UPLOAD_UNDER_WAY: (
        409,
        "Wait the seconds in `Retry-After`, then send the request again with the same key.",
    ),
    Code.RECORD_CHANGED: (412, "Get the record again, then repeat the change."),
    Code.BODY_TOO_LARGE: (413, "Split the body into several requests."),
    Code.COMPRESSED_BODY: (415, "Send the body as it is, without `Content-Encoding`."),
    Code.UNSUPPORTED_MEDIA_TYPE: (415, "Send JSON, and a file with its own `Content-Type`."),
    Code.FILE_QUESTIONS: (422, "Answer the questions in `asks`, and send the file again with the answers."),
    Code.FILE_REFUSED: (422, "Correct the file as `errors` says, and send it again."),
    Code.IDEMPOTENCY_KEY_REUSED: (422, "Send a new `Idempotency-Key` with a new request."),
    Code.VALIDATION_FAILED: (422, "Correct what `errors` lists, and send the whole request again."),
    Code.RATE_LIMITED: (429, "Wait the seconds in `Retry-After`, then continue more slowly."),
    Code.SIGN_UP_TOO_SOON: (
        429,
        "A confirmation for this address was requested a moment ago. Wait the seconds in `Retry-After`.",
    ),
    Code.TOO_MANY_FAILURES: (429, "Check the keys, and wait the seconds in `Retry-After`."),
    Code.UNEXPECTED_ERROR: (
        500,
        "Send the request once more. If it fails again, give the operator the `X-Request-Id`.",
    ),
    Code.BUSY: (503, "Wait the seconds in `Retry-After`, then send the request again."),
    Code.DATABASE_UNAVAILABLE: (503, "Wait the seconds in `Retry-After`, then send the request again."),
    Code.DISK_FAULT: (503, "The operator must free or repair the disk. Send the request again later."),
    Code.NOT_READY: (
        503,
        "The operator must repair what `checks` lists. If a table is being prepared, wait.",
    ),
    Code.OUTCOME_UNKNOWN: (503, "The change may have been made. Check before you send the request again."),
    Code.SERVICE_UNAVAILABLE: (503, "Wait the seconds in `Retry-After`, then send the request again."),
    Code.UPLOAD_ABANDONED: (503, "The file arrived too slowly. Send it again."),
}
VALUE_CODES: dict[Code, str] = {  # of a value: in `errors`, with any status, and beside `error` with 422
    Code.ADDRESS_DENIED: "The address is on the deny list. Remove it from the list before you send an email "
    "to it.",
    Code.ADDRESS_TAKEN: "Another subscriber has the address. Choose another address, or change that "
    "subscriber first.",
    Code.CURSOR_TOO_OLD: "The record does not reach back that far. Export the site, and continue from the "
    "number in the export.",
    Code.DOMAIN_REFUSED: "The site accepts no address of this domain. Ask the visitor for another address.",
    Code.DOMAIN_WITHOUT_MAIL: "The domain takes no email. Ask the visitor for another address.",
    Code.ERASED_ADDRESS: "The address was erased. Only the command `subscribe` adds it again.",
    Code.FORM_NOT_READY: "Set in the console what the form needs before it opens.",
    Code.IN_USE: "Something still uses the record. Delete that first, or change it to use another record.",
    Code.LINK_REFUSED: "Leave the value out. It is a link that acts for a subscriber.",
    Code.MAIL_NOT_READY: "Set what the message names, so that the site can send emails.",
    Code.MALFORMED_ADDRESS: "Send an address of the form name@example.com.",
    Code.MALFORMED_DATE: "Send an ISO 8601 date or date-time.",
    Code.MALFORMED_KEY: "Send a key of letters, digits, or any of _ - . $",
    Code.MALFORMED_ROW: "Write one JSON object on a line.",
    Code.MALFORMED_VALUE: "Send the value in the form that the message gives.",
    Code.NOT_UNCONFIRMED: "Only subscribers who are unconfirmed, and have not unsubscribed, can be asked.",
    Code.NOT_UNDOABLE: "This cannot be undone, or can no longer be undone. Make a new request to change the "
    "values back.",
    Code.OUT_OF_RANGE: "Send a number or a list within the bounds that the message gives.",
    Code.RAGGED_ROW: "Put quotes around cells that contain the delimiter.",
    Code.REFUSED_VALUE: "Correct the value as the message says.",
    Code.REPEATED_KEY: "Send the key or parameter once.",
    Code.REQUIRED: "Send the value.",
    Code.RESERVED_KEY: "Send another key: this one is built in.",
    Code.SIGN_UP_DECLINED: "This person declined. Ask again after 30 days at the earliest.",
    Code.SIGN_UP_OPEN: "There is already an open sign-up for this address. Send its confirmation again.",
    Code.SIGN_UP_OVER: "The sign-up is over. Only a waiting, sent, held or failed sign-up can be sent again. "
    "Create a new one.",
    Code.TAG_BUSY: "The tag is being renamed or merged. Send the request again in a moment.",
    Code.TAG_EXISTS: "Merge the tag into the one that has the name, or choose another name.",
    Code.TAG_MISMATCH: "Correct the id or the name of the tag, or leave the name out.",
    Code.TOO_DEEP: "Nest the value less deeply.",
    Code.TOO_LONG: "Shorten the value.",
    Code.TOO_MANY: "Send fewer items at once, or send them in several requests.",
    Code.TWO_SUBSCRIBERS: "Email and uuid belong to two subscribers. Correct one of them, or leave it out.",
    Code.UNKNOWN_CHOICE: "Send one of the values that the message gives.",
    Code.UNKNOWN_DOMAIN: "The domain does not exist. Ask the visitor for another address.",
    Code.UNKNOWN_KEY: "Correct the names in `unknown`; `did_you_mean` suggests names.",
    Code.UNKNOWN_RECORD: "Send the id of a record of the site.",
    Code.UNKNOWN_SUBSCRIBER: "Create the subscriber first, or correct address or uuid.",
    Code.UNSTORABLE: "Send text without NUL and half characters, and numbers that fit into 64 bits.",
    Code.URL_REFUSED: "Send a URL of the form that the message gives.",
    Code.WRONG_TYPE: "Send a value of the type that the message gives.",
}
ROW_CODES = {  # of what `error_code` of a refused row says; of others `Code.REFUSED_VALUE`
    "invalid_email": Code.MALFORMED_ADDRESS,
    "invalid_json": Code.MALFORMED_ROW,
    "invalid_text": Code.UNSTORABLE,
    "missing_email": Code.REQUIRED,
    "ragged_row": Code.RAGGED_ROW,
}


class Sentence(str):
    """A sentence for the client that keeps its code, also through `str` and `format`."""

    code: Code

    def __new__(cls, code: Code, text: str) -> Self:
        message = super().__new__(cls, text)
        message.code = code
        return message

    def __str__(self) -> str:
        return self

    def __deepcopy__(self, _: object) -> Self:
        return self

    def format(self, *arguments: object, **names: object) -> "Sentence":
        return Sentence(self.code, super().format(*arguments, **names))


def code_of(message: str, otherwise: Code) -> Code:
    """The code that a message carries; `otherwise` for plain text."""
    code: Any = getattr(message, "code", otherwise)
    return Code(code)
