"""The command `audience` and its subcommands, each imported when it is called. `app.py` adds those that start
processes.
"""

import importlib
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple

import click


class Row(NamedTuple):
    """A row in the list of commands. `function` is `module:name` in `audience.cli`."""

    function: str
    help: str


BEGIN, INSTANCE = "Begin", "The instance"
GROUPS = MappingProxyType(
    {
        BEGIN: {
            "console": Row("operators:console", "Print a one-time link to the console."),
            "demo": Row("demo:demo", "Create a site with fictional subscribers."),
        },
        "Subscribers": {
            "subscriber": Row("subscribers:subscriber", "Subscribers: find, list, tag, unsubscribe, erase."),
            "import": Row("file_imports:import_file", "Import subscribers from a file."),
            "imports": Row("imports:imports_group", "List imports, retry failed ones, or undo one."),
            "export": Row("exports:export", "Export subscribers to a file or standard output."),
            "tag": Row("tags:tag", "Tags: list them."),
            "field": Row("tags:field", "List, add and delete custom fields."),
            "event": Row("events:event", "Events: list them."),
            "erasures": Row("erasures:erasures", "Export the log of erasures, or apply it after a restore."),
        },
        "Segments and reports": {
            "segment": Row("segments:segment", "Segments: subscribers that match rules."),
            "report": Row("reports:report", "Reports on growth and composition."),
        },
        "Sign-up": {
            "form": Row("forms:form", "Manage the forms with which visitors sign up."),
            "sign-up": Row("sign_ups:sign_up", "List sign-ups, send or discard held ones."),
        },
        "Other programs": {
            "key": Row("keys:key", "Manage the keys with which clients authenticate."),
            "api": Row("api:api", "Call the API of the running service."),
            "webhook": Row("webhooks:webhook", "Webhooks: URLs that receive each change."),
            "mirror": Row("mirrors:mirror", "Copy a site to a file or database, and keep it up to date."),
            "changes": Row("change_log:changes", "Print or follow the record of changes."),
            "answer": Row("answers:answer", "Validate an address, moderate a text, guess a gender, …"),
        },
        "Sites and operators": {
            "site": Row("sites:site", "Sites, each with its own subscribers, fields, tags and keys."),
            "operator": Row("operators:operator", "Manage the operators, who sign in to the console."),
        },
        INSTANCE: {
            "backup": Row(
                "backups:backup", "Back up the database and the pepper to one file, or check a backup."
            ),
            "restore": Row("backups:restore", "Replace the instance with a backup. Stop the service first."),
            "move": Row("moves:move", "Move the instance into another database. Stop the service first."),
            "doctor": Row("doctor:doctor", "Find what is wrong with the instance."),
            "config": Row(
                "configuration:show_config", "Show the settings in effect, and the source of each."
            ),
            "jobs": Row("jobs:jobs_group", "List failed background jobs, or retry one."),
            "mail": Row("mail:mail", "Send a test to check the mail server."),
            "tables": Row("tables:tables", "Renew the tables that the answers use."),
        },
    }
)
COMMANDS = MappingProxyType({name: row for rows in GROUPS.values() for name, row in rows.items()})
SERVE = "serve"  # is first; the other commands of `app.py` are with the instance


class Commands(click.Group):
    """Imports a command of `COMMANDS` when it is called."""

    def list_commands(self, _: click.Context) -> list[str]:
        return sorted([*COMMANDS, *self.commands])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            return _load(COMMANDS[cmd_name].function)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            raise click.NoSuchCommand(error.command_name, None, self.list_commands(ctx), ctx) from error

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands in groups, without importing their modules."""
        own = {name: command.get_short_help_str(limit=100) for name, command in self.commands.items()}
        lines = {group: {name: row.help for name, row in rows.items()} for group, rows in GROUPS.items()}
        lines[BEGIN] = {name: own.pop(name) for name in [*own] if name == SERVE} | lines[BEGIN]
        lines[INSTANCE] |= own
        for group, listed in lines.items():
            with formatter.section(group):
                formatter.write_dl([*listed.items()])


def _load(path: str) -> click.Command:
    module, name = path.split(":")
    command: click.Command = getattr(importlib.import_module(f"audience.cli.{module}"), name)
    return command


def _version(ctx: click.Context, _: click.Parameter, wanted: Any) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"audience {version('audience')}")
        ctx.exit()


version_option: Callable[[Any], Any] = click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Print the version."
)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@version_option
def audience() -> None:
    """A service for e-mail subscribers, over HTTP and JSON.

    Environment variables (AUDIENCE_PORT=9000) override config.toml in the instance folder, which overrides
    the defaults. Exit status: 0 done, 1 the answer is no, 2 a wrong call or setting, 3 done in part.

    Example: audience serve
    """
