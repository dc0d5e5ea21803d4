"""Commands on a subscriber: the forms of the subscriber's page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Blueprint
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from audience.access.audit_log import NAMED
from audience.access.sites import Site
from audience.console import subscribers
from audience.console.custom_fields import NOT_SAVED, UNKNOWN, read_field
from audience.console.page import actor, operator_source, page, read_form, redirect_to
from audience.erasures import erasures
from audience.errors import Refused
from audience.http.services import settings
from audience.sign_ups import requests
from audience.subscribers import commands
from schemas.base import TWICE, load
from schemas.command_names import CommandName
from schemas.commands import RunCommands
from schemas.values import FieldError, FormError

blueprint = Blueprint("commands", __name__)

Form = MultiDict[str, str]

CONFIRM = "Tick the box to erase this subscriber: it cannot be undone."
NAMES = ("tag", "key")


def read(name: str) -> Callable[[Form], str]:
    """A function that reads the field `name` of a form, "" without one. It raises `Refused` if its values
    differ.
    """

    def value(form: Form) -> str:
        if len({*form.getlist(name)}) > 1:
            raise Refused(NOT_SAVED, [FieldError(name, TWICE)])
        return form.get(name, "")

    return value


@dataclass(frozen=True)
class Action:
    """A form of the subscriber's page, which runs `command`. `query` makes the command's query from the form.

    The audit log keeps `label` and the value of the field `kept`, which must be filled in. The name of a tag
    or custom field becomes part of the label.
    """

    command: CommandName
    label: str
    query: Callable[[Form], Any] = lambda _: None
    kept: str = ""


ACTIONS = {
    "tag": Action(CommandName.ADD_TAG, "tag added", read("tag"), "tag"),
    "untag": Action(CommandName.REMOVE_TAG, "tag removed", read("tag"), "tag"),
    "set field": Action(CommandName.ADD_FIELD, "field set", read_field, "key"),
    "remove field": Action(CommandName.REMOVE_FIELD, "field removed", read("key"), "key"),
    "unsubscribe": Action(CommandName.UNSUBSCRIBE, "unsubscribed"),
    "subscribe": Action(CommandName.SUBSCRIBE, "subscribed", kept="reason"),
    "change address": Action(CommandName.CHANGE_EMAIL, "address changed", read("email")),
}


@blueprint.post("/sites/<site_uuid>/subscribers/<subscriber_uuid>")
@page(role="support", again=subscribers.show)
def run(site: Site, subscriber_uuid: str) -> Response:
    """Change a subscriber: tags, fields, consent or address"""
    form = read_form()
    action = ACTIONS.get(read("act")(form))
    if action is None:
        raise Refused(UNKNOWN)
    details = _read_details(action, form)
    sentence = action.label + (NAMED + details.pop(action.kept) if action.kept in NAMES else "")
    commands.run_by_hand(
        site, _command(subscriber_uuid, action, form), actor(), sentence, details, operator_source()
    )
    return redirect_to("console.subscribers.show", site_uuid=site.uuid, subscriber_uuid=subscriber_uuid)


@blueprint.post("/sites/<site_uuid>/subscribers/<subscriber_uuid>/erase")
@page(role="support", again=subscribers.show)
def erase(site: Site, subscriber_uuid: str) -> Response:
    """Erase a subscriber"""
    if "confirmed" not in read_form():
        raise Refused(CONFIRM)
    erasures.check_target(None, subscriber_uuid)
    erasures.erase(site, settings().instance, uuid=subscriber_uuid, actor=actor(), source=operator_source())
    return redirect_to("console.subscribers.index", site_uuid=site.uuid, erased=1)


@blueprint.post("/sites/<site_uuid>/subscribers/<subscriber_uuid>/confirmation")
@page(role="support", again=subscribers.show)
def ask(site: Site, subscriber_uuid: str) -> Response:
    """Ask an unconfirmed subscriber to confirm"""
    requests.ask_to_confirm(site, subscriber_uuid, actor(), settings())
    return redirect_to(
        "console.subscribers.show", site_uuid=site.uuid, subscriber_uuid=subscriber_uuid, done="asked"
    )


def _read_details(action: Action, form: Form) -> dict[str, str]:
    """The value to store in the audit log, by field name; empty if none is kept. Raises `Refused`."""
    text = form.get(action.kept, "").strip()
    if problem := action.kept and commands.typed_problem(text):
        raise Refused(NOT_SAVED, [FieldError(action.kept, problem)])
    return {action.kept: text} if action.kept else {}


def _command(subscriber_uuid: str, action: Action, form: Form) -> dict[str, Any]:
    """The command of a form, validated as in the API. Raises `Refused`."""
    sent = {"command": action.command, "uuid": subscriber_uuid, "query": action.query(form)}
    try:
        command: dict[str, Any] = load(RunCommands(), {"command": sent})["command"][0]
    except FormError as error:
        problems = [FieldError(action.kept or "value", problem.message) for problem in error.problems]
        raise Refused(NOT_SAVED, problems) from error
    return command
