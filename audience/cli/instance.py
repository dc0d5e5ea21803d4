"""The instance and the site on which a command works. Functions from `app.py` open the instance when the
command needs it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce, wraps
from types import MappingProxyType
from typing import Any

import click

from audience.cli.output import as_json, refused_as_json
from audience.cli.wrong_calls import WholeNumber
from audience.config import Settings
from audience.errors import NotFound, Refused
from audience.operations.openers import Openers
from audience.protocols import ChildProcess, Processes
from schemas.values import FormError

COMMANDS = MappingProxyType(
    {
        "GET /v1/batch/imports": "`audience imports list`",
        "GET /v1/fetch/fields": "`audience field list`",
        "GET /v1/fetch/forms": "`audience form list`",
        "GET /v1/fetch/reports": "`audience report list`",
        "GET /v1/fetch/segments": "`audience segment list`",
        "GET /v1/fetch/sign_ups": "`audience sign-up list`",
        "GET /v1/fetch/tags": "`audience tag list`",
        "GET /v1/fetch/webhooks": "`audience webhook list`",
    }
)


NAMED = "The names in `unknown` are"  # how the API speaks of what it names under a key of its own

site_option = click.option(
    "--site", "site_uuid", metavar="SITE", help="Name or uuid of the site; not needed if there is only one."
)
site_of_id_option = click.option(
    "--site",
    "site_name",
    metavar="SITE",
    help="Name or uuid of the site; not needed, because the id is enough.",
)
site_argument = click.argument("site_uuid", metavar="SITE")
limit_option = click.option(
    "--limit",
    type=WholeNumber(1, 100_000),
    default=100,
    show_default=True,
    help="How many to list at most.",
)


def with_options(options: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """Decorates a command with several options, in this order."""
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)


@dataclass(frozen=True)
class Instance:
    """The instance of a command. `open` opens it, migrates its database, and returns whether it was created.

    With `begins=False`, `open` raises `NoInstance` instead of creating one. `as_served` returns the settings
    with the address of the running service.
    """

    settings: Settings
    as_served: Callable[[], Settings]
    open: Callable[..., bool]
    openers: Openers
    processes: Callable[[], Processes]
    child_process: ChildProcess


def on_new_instance(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a command as `on_instance` does, and lets it create the instance."""
    return on_instance(command, begins=True)


def on_instance(command: Callable[..., Any], begins: bool = False) -> Callable[..., Any]:
    """Decorates a command: opens and migrates the instance, passes its settings, and rewords refusals.

    With `begins`, it may create the instance. The option `site_uuid` (a name, a uuid, or None for the only
    site) becomes the argument `site`, the `Site` itself.
    """

    @wraps(command)
    @click.pass_obj
    def run(instance: Instance, /, *arguments: Any, **options: Any) -> Any:
        if instance.open(begins=begins, is_backed_up=options.pop("backed_up", False)):
            click.echo(_announcement(instance.settings), err=True)
        try:
            if "site_uuid" in options:
                options["site"] = _site(options.pop("site_uuid"))
            return command(instance.as_served(), *arguments, **options)
        except FormError as error:
            raise click.ClickException(_problem_lines(error.problems)) from error
        except NotFound as error:
            raise NotFound(in_commands(error.message)) from error
        except Refused as error:
            if not error.errors:
                raise Refused(in_commands(error.message)) from error
            raise click.ClickException(_problem_lines(error.errors)) from error

    return refused_as_json(run)


def on_site(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a command on one site as `on_instance` does. Adds the options `--site` and `--json`."""
    return site_option(as_json(on_instance(command)))


def _announcement(settings: Settings) -> str:
    from audience.operations import new_instances

    return new_instances.announcement(settings)


def _site(name: str | None) -> Any:
    """The site with a name or uuid; the only site for None."""
    from audience.access import sites

    return sites.choose(name)


def in_commands(message: str) -> str:
    """A message of the API, reworded to name commands instead of requests."""
    for request, name in COMMANDS.items():
        message = message.replace(request, name)
    return message.replace("Send ", "Give ")


def _problem_lines(problems: Iterable[Any]) -> str:
    """The problems as lines. All but the first begin with `audience: `, which `app.py` adds to the first."""
    return "\naudience: ".join(f"{problem.field}: {_sentence(problem)}" for problem in problems)


def _sentence(problem: Any) -> str:
    """The message of a problem, with its unknown names and suggestions, which the API returns apart."""
    message = in_commands(problem.message)
    if problem.unknown:
        names = ", ".join(f"`{name}`" for name in problem.unknown)
        message = message.replace(NAMED, f"{names} {'is' if len(problem.unknown) == 1 else 'are'}")
    meant = " or ".join(f"`{name}`" for name in problem.did_you_mean)
    return f"{message} Did you mean {meant}?" if meant else message
