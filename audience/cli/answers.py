"""`audience answer`: the stateless answers, from the command line."""

import json
from collections.abc import Iterable
from typing import Any

import click

from audience.answers.geolocation.geolocation import ATTRIBUTION, ATTRIBUTION_URL
from audience.answers.moderation.reasons import ModerationReason
from audience.answers.service import Answers
from audience.answers.validation.allow_deny import AllowDenyLists
from audience.answers.validation.reasons import ValidationReason
from audience.answers.validation.validation import Candidate
from audience.cli.instance import Instance
from audience.cli.output import as_json
from audience.errors import Refused
from schemas import answers as wire


@click.group()
def answer() -> None:
    """Validate an address, moderate a text, guess a gender, or look up domains and IP addresses."""


@answer.command()
@click.argument("value")
@click.option("--name", help="The contact's name.")
@click.option("--user-agent", help="The browser's user agent at sign-up.")
@click.option("--ip", help="The contact's IPv4 address.")
@click.option("--strict", is_flag=True, help="Use the strict rule set.")
@click.option(
    "--block-free-providers/--allow-free-providers",
    default=None,
    help="Strict: refuse or allow free mail providers.",
)
@click.option("--wiggleroom", is_flag=True, help="Strict: relax the optional rules.")
@as_json
@click.pass_obj
def address(
    instance: Instance,
    value: str,
    name: str | None,
    user_agent: str | None,
    ip: str | None,
    strict: bool,
    block_free_providers: bool | None,
    wiggleroom: bool,
    as_json: bool,
) -> None:
    """Validate an e-mail address.

    Example: audience answer address ann@gamil.com
    """
    if not strict and (wiggleroom or block_free_providers is not None):
        raise click.UsageError("--wiggleroom and --block-free-providers need --strict.")
    answers = Answers(instance.settings)
    candidate = Candidate(email=value, name=name, user_agent=user_agent, ip=ip)
    if strict:
        result = answers.validate_strictly(candidate, AllowDenyLists(), block_free_providers, wiggleroom)
        answer = wire.strict_validation(result, block_free_providers)
    else:
        result = answers.validate(candidate, AllowDenyLists())
        answer = wire.validation(result)
    show(answer | {"details": result.details}, as_json, result.reasons)


@answer.command()
@click.argument("value")
@as_json
@click.pass_obj
def domain(instance: Instance, value: str, as_json: bool) -> None:
    """Look up a domain in the blacklists.

    Example: audience answer domain example.com
    """
    show(blacklist_entry(Answers(instance.settings), domain=value), as_json)


@answer.command()
@click.argument("value")
@as_json
@click.pass_obj
def ip(instance: Instance, value: str, as_json: bool) -> None:
    """Look up an IPv4 address in the blacklists, and locate it.

    Example: audience answer ip 192.0.2.1
    """
    answers = Answers(instance.settings)
    show(blacklist_entry(answers, ip_address=value) | {"place": answers.locate(value)}, as_json)
    if not as_json and not instance.settings.geo_database:
        click.echo(f"\n{ATTRIBUTION}: {ATTRIBUTION_URL}")


def blacklist_entry(
    answers: Answers, domain: str | None = None, ip_address: str | None = None
) -> dict[str, Any]:
    """The blacklist entry of a domain or an IP address, as the API returns it. Raises `Refused`."""
    try:
        return wire.blacklist(answers.look_up(domain, ip_address))["data"][0]  # type: ignore[no-any-return]
    except Refused as error:
        raise Refused(" ".join(problem.message for problem in error.errors) or error.message) from error


@answer.command()
@click.argument("value")
@as_json
@click.pass_obj
def name(instance: Instance, value: str, as_json: bool) -> None:
    """Guess a gender from a name.

    Example: audience answer name "Jesse Owens"
    """
    show(wire.gender(Answers(instance.settings).guess_gender(value)), as_json)


@answer.command()
@click.argument("value")
@as_json
@click.pass_obj
def text(instance: Instance, value: str, as_json: bool) -> None:
    """Moderate text.

    Example: audience answer text "Hello, world"
    """
    result = Answers(instance.settings).moderate(value)
    show(wire.moderation(result) | {"details": result.details}, as_json, result.reasons)


def show(
    answer: dict[str, Any], as_json: bool, reasons: Iterable[ValidationReason | ModerationReason] = ()
) -> None:
    """Prints an answer as JSON or, unless `as_json`, as lines, with the meaning and advice of `reasons`."""
    if as_json:
        click.echo(json.dumps(answer))
        return
    for label, value in answer.items():
        if isinstance(value, dict) and value:
            click.echo(label)
            for name, item in value.items():
                click.echo(f"  {name:<22}{readable(item)}")
        elif label not in ("reasons", "details"):
            click.echo(f"{label:<24}{readable(value)}")
    for reason in reasons:
        click.echo(f"\n{reason}: {reason.meaning}\n  {reason.advice}")


def readable(value: Any) -> str:
    """A value as text for people: `yes` or `no`, `-` for None, a float with four decimals."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    if isinstance(value, float):
        return str(round(value, 4))
    return "unknown" if value == {} else str(value)
