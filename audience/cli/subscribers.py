"""`audience subscriber`: find, list and change subscribers.

Each command imports the modules that only it needs.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import count, islice
from typing import Any

import click

from audience.access.sites import Site
from audience.changes.targets import NOBODY
from audience.cli import output
from audience.cli.instance import limit_option, on_instance, on_site, site_option
from audience.cli.output import printable
from audience.cli.wrong_calls import Answer
from audience.config import Settings
from audience.errors import NotFound, Refused
from audience.searches import searches
from audience.searches.searches import SearchRequest
from audience.sources import COMMAND_LINE
from audience.subscribers import subscribers, tags
from audience.subscribers.subscribers import ERASED, EXISTING, Subscriber
from schemas.values import STATES, UNSUBSCRIBED

AGAIN = "`audience subscriber subscribe` subscribes them again, with a reason."


def _ask_who() -> list[str]:
    from audience.cli.file_questions import ask_who_of_one

    return ask_who_of_one()


@click.group()
def subscriber() -> None:
    """Subscribers: add, find, list, tag, subscribe, unsubscribe, erase."""


@subscriber.command()
@click.argument("email")
@click.option("--consent", type=Answer(STATES, _ask_who), help="Whether the person may be written to.")
@click.option("--first-name", help="The first name.")
@click.option("--last-name", help="The last name.")
@click.option("--tag", multiple=True, help="A tag; repeatable.")
@click.option("--field", multiple=True, metavar="KEY=VALUE", help="A custom value; repeatable.")
@on_site
def add(settings: Settings, email: str, consent: str, site: Site, as_json: bool, **options: Any) -> None:
    """Add one person. Without --consent, the command asks on a terminal whether the person may be written to;
    elsewhere, it exits with status 2. Existing subscribers stay unchanged, and erased people stay erased.
    Values are read as in a CSV file.

    Example: audience subscriber add bob@example.com --consent subscribed
    """
    from audience.access import audit_log
    from audience.cli.file_questions import answer_of_one
    from schemas.additions import AddSubscriber
    from schemas.base import load

    command = ["audience", "subscriber", "add", email, "--site", site.uuid]
    consent = consent or answer_of_one(command, options, quiet=as_json)
    sent = {
        "email": email,
        "first_name": options["first_name"],
        "last_name": options["last_name"],
        "tags": [*options["tag"]],
        "fields": _custom_values(options["field"]),
    }
    item = load(AddSubscriber(), {"subscriber": sent, "consent": consent})
    try:
        added = subscribers.add(
            site, item["subscriber"], item["answer"], audit_log.COMMAND_LINE, COMMAND_LINE
        )
    except Refused as error:
        hint = f" {AGAIN}" if error.message in (EXISTING[UNSUBSCRIBED], ERASED) else ""
        raise Refused(f"{error.message}{hint}") from error
    status = subscribers.status(added)
    why = "" if status == consent else " Somebody with this address had unsubscribed before."
    output.show(_resource(settings, site, added) if as_json else None, as_json, [f"Added, {status}.{why}"])


def _custom_values(texts: Iterable[str]) -> dict[str, Any]:
    """The custom values in texts such as `KEY=VALUE`. Raises `BadParameter`."""
    from schemas.formats.csv_values import read_value

    values = {}
    for text in texts:
        key, mark, value = text.partition("=")
        if not mark:
            raise click.BadParameter("write KEY=VALUE, such as plan=pro", param_hint="--field")
        values[key] = read_value(value)
    return values


@subscriber.command()
@click.argument("target", metavar="EMAIL_OR_UUID")
@on_site
def find(settings: Settings, target: str, site: Site, as_json: bool) -> None:
    """Find a subscriber by address or uuid. The exit status is 1 if there is none.

    Example: audience subscriber find ann@example.com
    """
    match = subscribers.get(site, **{"email" if "@" in target else "uuid": target})
    output.show(_resource(settings, site, match) if as_json else None, as_json, [_line(match)])


@subscriber.command(name="list")
@click.option(
    "--segment", "segment_name", metavar="SEGMENT", help="Only subscribers in this segment, by id or name."
)
@click.option(
    "--tag", "tag_names", multiple=True, metavar="TAG", help="Only subscribers with this tag; repeatable."
)
@limit_option
@on_site
def list_subscribers(
    settings: Settings,
    segment_name: str | None,
    tag_names: tuple[str, ...],
    limit: int,
    site: Site,
    as_json: bool,
) -> None:
    """List the newest subscribers.

    Example: audience subscriber list --tag vip --limit 20
    """
    segment_id = _segment_id(site, segment_name) if segment_name else None
    request = SearchRequest(after={}, before={}, tags=tag_names, segment_id=segment_id)
    matches = list(islice(_matches(site, request), limit))
    output.show(
        [_resource(settings, site, subscriber) for subscriber in matches] if as_json else None,
        as_json,
        map(_line, matches),
    )


def _resource(settings: Settings, site: Site, subscriber: Subscriber) -> dict[str, Any]:
    from schemas.subscribers import subscriber as resource

    return resource(subscriber, settings.base_url, site.uuid)


def _segment_id(site: Site, name: str) -> str:
    """The id of the only segment with this name; else `name`, which may be an id."""
    from audience.segments import segments

    named = [str(row.id) for row in segments.list_all(site) if row.name == name]
    return named[0] if len(named) == 1 else name


def _matches(site: Site, request: SearchRequest) -> Iterator[Subscriber]:
    for page in count(1):
        rows, has_more = searches.search(site, request, page)
        yield from rows
        if not has_more:
            return


def _line(subscriber: Subscriber) -> str:
    state = "unsubscribed" if subscriber.unsubscribed_at is not None else "subscribed"
    return printable(
        f"{subscriber.email:<40} {state:<13} {subscriber.first_name} {subscriber.last_name}"
    ).rstrip()


@subscriber.command()
@click.argument("email")
@on_site
def links(settings: Settings, email: str, site: Site, as_json: bool) -> None:
    """Show the links of a subscriber. Anybody who has a link can act for that subscriber.

    Example: audience subscriber links ann@example.com
    """
    from audience.links.links import Links

    match = subscribers.get(site, email)
    maker = Links(site, settings.base_url)
    urls = maker.urls(match.uuid, match.email_key)
    lines = [f"{purpose:<12} {url}" for purpose, url in urls.items()]
    output.show(urls, as_json, [*lines, *filter(None, [maker.note])])


@subscriber.command()
@click.argument("email")
@on_site
def consent(_: Settings, email: str, site: Site, as_json: bool) -> None:
    """Show each change of a subscriber's consent: when it happened, what made it, and why.

    Example: audience subscriber consent ann@example.com
    """
    shown = _consent(site, email)
    output.show(shown, as_json, _consent_lines(shown))


def _consent(site: Site, email: str) -> dict[str, Any]:
    from audience.changes import pages
    from schemas import change_log

    record = pages.consent(site, subscribers.get(site, email).uuid)
    attributes: dict[str, Any] = change_log.consent(record)["attributes"]
    return attributes


def _consent_lines(shown: dict[str, Any]) -> Iterator[str]:
    created = {"at": shown["created_at"], "source": shown["created_by"], "reason": ""}
    for event in [created, *shown["events"]]:
        name = "created" if event is created else "subscribed" if event["subscribed"] else "unsubscribed"
        source = " ".join(filter(None, event["source"].values()))
        yield f"{event['at']}  {name:<12}  {source:<12}  {event['reason']}".rstrip()
    for proof in shown["proofs"]:
        yield (
            f"{proof['confirmed_at']}  confirmed by {proof['confirmed_by']} from {proof['confirmed_from']}, "
            f"asked for {proof['requested_at']} from {proof['requested_from']}, link by {proof['delivery']}"
        )
        yield f"  {printable(proof['wording'])}"


@subscriber.command()
@click.argument("email")
@click.argument("tag_names", metavar="TAG...", nargs=-1, required=True)
@click.option("--remove", is_flag=True, help="Remove the tags instead.")
@on_site
def tag(_: Settings, email: str, tag_names: tuple[str, ...], remove: bool, site: Site, as_json: bool) -> None:
    """Add tags to a subscriber, or remove them.

    Example: audience subscriber tag ann@example.com vip --site 6f1c...
    """
    subscribers.get(site, email)
    name = "remove_tag" if remove else "add_tag"
    _run(site, [{"command": name, "email": email, "query": tag_name} for tag_name in tag_names])
    now = _tags(site, subscribers.get(site, email))
    output.show({"email": email, "tags": now}, as_json, [f"Tags: {printable(', '.join(now)) or 'none'}."])


@subscriber.command()
@click.argument("emails", metavar="EMAIL...", nargs=-1, required=True)
@on_site
def unsubscribe(_: Settings, emails: tuple[str, ...], site: Site, as_json: bool) -> None:
    """Unsubscribe one or more people. The exit status is 3 if only some of them are subscribers.

    Example: audience subscriber unsubscribe ann@example.com --site 6f1c...
    """
    existing = [email for email in emails if subscribers.find(site, email)]
    unknown = [email for email in emails if email not in existing]
    if not existing:
        raise NotFound(NOBODY)
    _run(site, [{"command": "unsubscribe", "email": email} for email in existing])
    shown = {"unsubscribed": len(existing), "unknown": len(unknown)}
    output.show(shown, as_json, [f"Unsubscribed {len(existing)}."])
    if unknown:
        raise output.Partly(f"no subscriber has {printable(', '.join(unknown))}")


@subscriber.command()
@click.argument("email")
@click.option(
    "--reason", help="The reason, for the audit log; without this option, the command asks on a terminal."
)
@on_site
def subscribe(_: Settings, email: str, reason: str | None, site: Site, as_json: bool) -> None:
    """Subscribe somebody again who has unsubscribed or who was erased. The audit log keeps the reason.

    Example: audience subscriber subscribe ann@example.com --reason "asked by telephone"
    """
    from audience.access import audit_log
    from audience.subscribers import commands

    if subscribers.find(site, email) is None and not subscribers.is_erased(site, email):
        raise NotFound(NOBODY)
    typed = {"reason": _read_reason(reason, as_json)}
    [command] = _load({"command": "subscribe", "email": email})
    changed = commands.run_by_hand(site, command, audit_log.COMMAND_LINE, "subscribed", typed, COMMAND_LINE)
    line = "Subscribed." if changed else "This person is subscribed already: nothing was changed."
    output.show({"subscribed": True, "changed": changed}, as_json, [line])


def _read_reason(reason: str | None, quiet: bool) -> str:
    """The reason, asked for on a terminal unless `quiet`. Raises `BadParameter`."""
    from audience.subscribers import commands

    if reason is None and not quiet and output.is_terminal():
        reason = click.prompt("Reason, kept in the audit log", err=True)
    text = (reason or "").strip()
    if problem := commands.typed_problem(text):
        raise click.BadParameter(problem, param_hint="--reason")
    return text


def _load(item: dict[str, str]) -> list[dict[str, Any]]:
    """The commands in an item of a request. Raises `FormError`."""
    from schemas.base import load
    from schemas.commands import RunCommands

    loaded: list[dict[str, Any]] = load(RunCommands(), {"command": item})["command"]
    return loaded


def _run(site: Site, items: Iterable[dict[str, str]]) -> None:
    """Runs commands, each in its own transaction. Raises `Refused` at the first that fails: others stay."""
    from audience.subscribers import commands

    for item in items:
        result = commands.run(site, _load(item), COMMAND_LINE)
        if result.errors:
            raise Refused(result.errors[0].message)


@subscriber.command()
@click.argument("email")
@site_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@on_instance
def show(settings: Settings, email: str, site: Site, as_json: bool) -> None:
    """Show a subscriber.

    Example: audience subscriber show ann@example.com --site 6f1c...
    """
    target = subscribers.get(site, email)
    resource = _resource(settings, site, target)
    if as_json:
        click.echo(json.dumps(resource, ensure_ascii=False))
        return
    shown = {"id": resource["id"], **resource["attributes"], "tags": ", ".join(_tags(site, target))}
    for label, value in shown.items():
        if label != "cached_tag_ids":
            click.echo(f"{label:<16} {value if isinstance(value, str) else json.dumps(value)}")


@subscriber.command()
@click.argument("email")
@site_option
@on_instance
def export(settings: Settings, email: str, site: Site) -> None:
    """Print all data of a subscriber, with consent and events, as one JSON object.

    Example: audience subscriber export ann@example.com --site 6f1c... > ann.json
    """
    from audience.subscribers import events
    from schemas.events import event

    target = subscribers.get(site, email)
    shown = _consent(site, email)
    everything: dict[str, Any] = {
        **_resource(settings, site, target),
        "consent": {name: shown[name] for name in ("created_by", "events")},
        "tags": _tags(site, target),
        "events": [event(row) for row in events.for_subscriber(site, target)],
    }
    click.echo(json.dumps(everything, ensure_ascii=False, indent=2))


@subscriber.command()
@click.argument("email")
@site_option
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@on_instance
def erase(settings: Settings, email: str, site: Site, yes: bool, as_json: bool) -> None:
    """Permanently erase a subscriber. Only a keyed hash of the address is kept, so that no import adds the
    address again.

    Example: audience subscriber erase ann@example.com --site 6f1c...
    """
    from audience.access import audit_log
    from audience.erasures import erasures

    if not yes:
        click.confirm("Permanently erase this subscriber, with tags, values and events?", abort=True)
    actor = audit_log.COMMAND_LINE
    existed = erasures.erase(site, settings.instance, email, actor=actor, source=COMMAND_LINE)
    words = "Erased." if existed else "No subscriber has this address. Imports will not add the address."
    output.show({"erased": existed}, as_json, [words])


def _tags(site: Site, target: Subscriber) -> list[str]:
    names = {tag.id: tag.name for tag in tags.list_all(site)}
    return [names[tag_id] for tag_id in target.tag_ids if tag_id in names]
