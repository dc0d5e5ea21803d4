"""The header Idempotency-Key: a request that is sent again is answered from the ids of what it made
(docs/contract.md, Safe to repeat).
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from flask import g, request

from audience.access.sites import Site
from audience.api.request_data import SITE, file_body, pairs
from audience.errors import NotFound, Refused
from audience.repeats import repeats
from audience.repeats.repeats import Claim as Claim
from audience.repeats.repeats import Ids as Ids
from audience.repeats.repeats import SentRequest
from schemas.codes import Code, Sentence
from schemas.values import FieldError, index_of

HEADER, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
MAX_LENGTH = 128
KEY = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_LENGTH}}}")
WRONG = Sentence(
    Code.MALFORMED_VALUE,
    f"Idempotency-Key: send 1 to {MAX_LENGTH} letters, digits, hyphens and underscores, such as a UUID.",
)
PART_BYTES = 2**20
DRY_RUN = "dry_run"  # the parameter of a request that writes nothing


class Later(NamedTuple):
    """What a view has written, and the function that makes the answer after the commit."""

    ids: Ids
    answer: Callable[[], Any]


@dataclass(frozen=True)
class Again:
    """How an endpoint answers a repeated request.

    `ids` takes the ids to keep from the first answer. `answer` makes the answer anew from these ids and the
    arguments of the view.
    """

    answer: Callable[..., Any]
    ids: Callable[[Any], Ids] = lambda answer: {"id": answer["data"]["id"]}


def resource(find: Callable[..., Any]) -> Again:
    """An `Again` for answers whose `data` is one resource.

    `find` gets the site and the resource's id. If it returns None or raises `NotFound`, `data` is null.
    """

    def answer(ids: Ids, site: Site, **_: Any) -> dict[str, Any]:
        try:
            return {"data": find(site, int(ids["id"]))}
        except NotFound:
            return {"data": None}

    return Again(answer)


def sent_request(site: Site, form: Any, body: Any, is_file: bool) -> SentRequest | None:
    """The request, if it has an Idempotency-Key and is no dry run; else None.

    Raises `Refused` for a malformed key.
    """
    key = request.headers.get(HEADER)
    if key is None or (isinstance(form, Mapping) and form.get(DRY_RUN)):
        return None
    if not KEY.fullmatch(key):
        raise Refused(WRONG)
    content = _digest() if is_file else {name: value for name, value in body.items() if name != SITE}
    query = sorted(pair for pair in pairs(request.query_string.decode()) if pair[0] != SITE)
    return repeats.sent_request(site, g.key_id, request.path, key, [request.method, query, content])


def _digest() -> str:
    """The digest of the uploaded file."""
    file = file_body()
    file.seek(0)
    digest = hashlib.sha256()
    while part := file.read(PART_BYTES):
        digest.update(part)
    file.seek(0)
    return digest.hexdigest()


def kept_errors(errors: Iterable[FieldError], problems: Iterable[FieldError]) -> list[list[str]]:
    """The errors of a batch to store, without those in `problems`, which the form finds again."""
    found = {index_of(problem) for problem in problems}
    return [[error.field, error.message, error.code] for error in errors if index_of(error) not in found]


def all_errors(stored: Iterable[tuple[str, str, Code]], problems: Iterable[FieldError]) -> list[FieldError]:
    """The errors of a repeated batch, `stored` ones and the form's `problems`, in the order of its items."""
    errors = [FieldError(field, Sentence(Code(code), message)) for field, message, code in stored]
    return sorted([*problems, *errors], key=index_of)
