"""The command `audience` and its subcommands; `app.py` adds those that start processes."""

import click

from audience.cli import (
    answers,
    backups,
    demo,
    doctor,
    exports,
    file_imports,
    imports,
    keys,
    reports,
    segments,
    sites,
    subscribers,
)

OLD_NAMES = {"check": "answer", "person": "subscriber"}  # accepted until 1.0


class Commands(click.Group):
    """Accepts old names too, and prints the new ones."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        new_name = OLD_NAMES.get(cmd_name)
        if new_name is None:
            return super().get_command(ctx, cmd_name)
        click.echo(f"`audience {cmd_name}` is now `audience {new_name}`.", err=True)
        return super().get_command(ctx, new_name)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def audience() -> None:
    """E-mail subscribers over HTTP and JSON.

    Environment variables (AUDIENCE_PORT=9000) override config.toml in the instance folder, which overrides
    the defaults.

    Example: audience serve
    """


for command in (
    sites.site,
    keys.key,
    file_imports.import_file,
    exports.export,
    subscribers.subscriber,
    answers.answer,
    segments.segment,
    reports.report,
    backups.backup,
    backups.restore,
    demo.demo,
    doctor.doctor,
    imports.imports_group,
):
    audience.add_command(command)
