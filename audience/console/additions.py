"""Adding one subscriber by hand."""

from operator import attrgetter
from typing import Any

from flask import Blueprint, Response, g, render_template, request

from audience.access.sites import Site
from audience.console.commands import Form, read
from audience.console.custom_fields import FIELD_TYPES, NOT_SAVED, read_field
from audience.console.file_forms import MOST_FIELDS
from audience.console.page import actor, operator_source, page, read_form, redirect_to
from audience.console.sent_once import make_once, sent_before
from audience.console.timelines import TEXT, TYPES
from audience.errors import Refused
from audience.subscribers import custom_fields, subscribers, tags
from schemas.additions import AddSubscriber
from schemas.base import load
from schemas.formats.consent_question import ANSWERS_OF_ONE, WHO_OF_ONE
from schemas.values import NAMES, STATES, FieldError, FormError

blueprint = Blueprint("additions", __name__)

FIELD, TYPE = "field-", "type-"  # prefixes of fields: of the value of a custom field, of its type
SENT = "subscriber."  # before the names of errors
ADDED, STAYS = "added", "added-unsubscribed"  # in `SENTENCES`


@blueprint.get("/sites/<site_uuid>/subscribers/new")
@page(role="support")
def new(site: Site) -> str:
    """The form of a new subscriber"""
    errors = g.refused.errors if "refused" in g else ()
    problems = {error.field.removeprefix(SENT).partition("[")[0]: error.message for error in errors}
    return render_template(
        "addition.html",
        question=WHO_OF_ONE,
        answers=[(state, *words) for state, words in zip(STATES, ANSWERS_OF_ONE, strict=True)],
        tags=[tag.name for tag in tags.list_all(site)],
        fields=_fields(site),
        field_types=FIELD_TYPES,
        is_filled=any(name.startswith(FIELD) and text for name, text in request.form.items()),
        problems=problems,
        existing=subscribers.find(site, request.form.get("email")) if "email" in problems else None,
    )


@blueprint.post("/sites/<site_uuid>/subscribers/new")
@page(role="support", again=new)
def create(site: Site) -> Response:
    """Add a subscriber"""
    item = _read(read_form())
    sent = item["subscriber"]
    subscriber, uuid = make_once(
        site.id,
        lambda: subscribers.add(site, sent, item["answer"], actor(), operator_source()),
        attrgetter("uuid"),
        sent["email"],
    )
    is_as_answered = subscriber is None or subscribers.status(subscriber) == item["consent"]
    done = sent_before(subscriber) or (ADDED if is_as_answered else STAYS)
    return redirect_to("console.subscribers.show", site_uuid=site.uuid, subscriber_uuid=uuid, done=done)


def _fields(site: Site) -> list[tuple[str, str]]:
    """The (key, suggested type) of the site's custom fields, and of those that were sent.

    The type is that of the most common value.
    """
    common = {key: values[0][0] for key, values in custom_fields.common_values(site).items()}
    keys = [field.key for field in custom_fields.list_all(site)[:MOST_FIELDS]]
    sent = [name.removeprefix(FIELD) for name in request.form if name.startswith(FIELD)]
    return [(key, TYPES.get(type(common.get(key, "")), TEXT)) for key in dict.fromkeys([*keys, *sent])]


def _read(form: Form) -> dict[str, Any]:
    """The subscriber in a form, with the answer. Raises `Refused` with all that is wrong."""
    values, problems = _read_values(form)
    sent = {name: read(name)(form) for name in ("email", *NAMES, "tags")} | {"fields": values}
    try:
        answered = {"subscriber": sent, "consent": read("consent")(form) or None}
        item: dict[str, Any] = load(AddSubscriber(), answered)
    except FormError as error:
        named = {f"{SENT}fields[{index}]": FIELD + key for index, key in enumerate(values)}
        problems += [
            FieldError(named.get(problem.field, problem.field), problem.message) for problem in error.problems
        ]
    if problems:
        raise Refused(NOT_SAVED, problems)
    return item


def _read_values(form: Form) -> tuple[dict[str, Any], list[FieldError]]:
    """The (custom values in a form by key, problems of others)."""
    values, problems = {}, []
    for name in form:
        text = read(name)(form) if name.startswith(FIELD) else ""
        if text.strip():
            key = name.removeprefix(FIELD)
            try:
                typed = {"key": key, "type": form.get(TYPE + key, ""), "value": text}
                values[key] = read_field(typed)["value"]
            except Refused as error:
                problems.append(FieldError(name, (error.errors or [error])[0].message))
    return values, problems
