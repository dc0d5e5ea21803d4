"""`audience check`: the questions asked at sign-up, from the command line."""

import json
from collections.abc import Iterable
from typing import Any

import click

from audience.address_lists import Lists
from audience.checks.geolocation import ATTRIBUTION, ATTRIBUTION_URL
from audience.checks.reasons import ModerationReason, ValidationReason
from audience.checks.validation import Candidate
from audience.cli.instance import Instance
from audience.cli.output import as_json
from audience.errors import Refused
from audience.judges import Judges
from schemas import answers as wire


@click.group()
def check() -> None:
    """Questions: is this address good, this domain blacklisted, this text safe, where is this IP ..."""


@check.command()
@click.argument("value")
@click.option("--name", help="The contact's name.")
@click.option("--user-agent", help="The browser's user agent at sign-up.")
@click.option("--ip", help="The contact's IPv4 address.")
@click.option("--strict", is_flag=True, help="The strict rule set.")
@click.option(
    "--block-free-providers/--allow-free-providers", default=None, help="Strict: free mail counts, or not."
)
@click.option("--wiggleroom", is_flag=True, help="Strict: relax the opinionated rules.")
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
    """Judge an e-mail address.

    Example: audience check address ann@gamil.com
    """
    if not strict and (wiggleroom or block_free_providers is not None):
        raise click.UsageError("--wiggleroom and --block-free-providers go with --strict.")
    judges = Judges(instance.settings)
    candidate = Candidate(email=value, name=name, user_agent=user_agent, ip=ip)
    if strict:
        verdict = judges.validate_strictly(candidate, Lists(), block_free_providers, wiggleroom)
        answer = wire.strict_validation(verdict, block_free_providers)
    else:
        verdict = judges.validate(candidate, Lists())
        answer = wire.validation(verdict)
    show(answer, as_json, verdict.reasons)


@check.command()
@click.argument("value")
@as_json
@click.pass_obj
def domain(instance: Instance, value: str, as_json: bool) -> None:
    """Look a domain up in the blacklists.

    Example: audience check domain example.com
    """
    show(asked(Judges(instance.settings), domain=value), as_json)


@check.command()
@click.argument("value")
@as_json
@click.pass_obj
def ip(instance: Instance, value: str, as_json: bool) -> None:
    """Look an IPv4 address up in the blacklists, and say where it is.

    Example: audience check ip 192.0.2.1
    """
    judges = Judges(instance.settings)
    show(asked(judges, ip_address=value) | {"place": judges.locate(value)}, as_json)
    if not as_json and not instance.settings.geo_database:
        click.echo(f"\n{ATTRIBUTION}: {ATTRIBUTION_URL}")


def asked(judges: Judges, domain: str | None = None, ip_address: str | None = None) -> dict[str, Any]:
    """The one entry of a look-up. Raises `Refused` with the message of the value."""
    try:
        return wire.blacklist(judges.look_up(domain, ip_address))["data"][0]  # type: ignore[no-any-return]
    except Refused as error:
        raise Refused(" ".join(each.message for each in error.errors) or error.message) from error


@check.command()
@click.argument("value")
@as_json
@click.pass_obj
def name(instance: Instance, value: str, as_json: bool) -> None:
    """Guess a gender from a name.

    Example: audience check name "Jesse Owens"
    """
    show(wire.gender(Judges(instance.settings).guess_gender(value)), as_json)


@check.command()
@click.argument("value")
@as_json
@click.pass_obj
def text(instance: Instance, value: str, as_json: bool) -> None:
    """Moderate a text.

    Example: audience check text "Hello, world"
    """
    verdict = Judges(instance.settings).moderate(value)
    show(wire.moderation(verdict), as_json, verdict.reasons)


def show(
    answer: dict[str, Any], as_json: bool, reasons: Iterable[ValidationReason | ModerationReason] = ()
) -> None:
    if as_json:
        click.echo(json.dumps(answer))
        return
    for label, value in answer.items():
        if isinstance(value, dict) and value:
            click.echo(label)
            for name, each in value.items():
                click.echo(f"  {name:<22}{readable(each)}")
        elif label != "reasons":
            click.echo(f"{label:<24}{readable(value)}")
    for reason in reasons:
        click.echo(f"\n{reason}: {reason.meaning}\n  {reason.advice}")


def readable(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    return "unknown" if value == {} else str(value)
