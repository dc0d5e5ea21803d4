"""The commands of `audience`, and the table of docs/commands.md."""

from collections.abc import Iterator

import click

import app


def commands(
    group: click.Group = app.audience, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    """Yields (words of the command, such as `site create`, command), sorted."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        elif command is not None:
            yield " ".join((*path, name)), command


def commands_table() -> str:
    """A row for each command, or for the commands of a group."""
    context = click.Context(app.audience)
    lines = ["| Command | Subcommands | Does |", "|---|---|---|"]
    for name in app.audience.list_commands(context):
        command = app.audience.get_command(context, name)
        assert command is not None
        within = commands(command) if isinstance(command, click.Group) else ()
        names = ", ".join(f"`{path}`" for path, _ in within)
        [does, *_] = (command.help or "").splitlines()
        lines.append(f"| `audience {name}` | {names} | {does} |")
    return "\n".join(lines)
