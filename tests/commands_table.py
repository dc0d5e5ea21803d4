"""The commands of `audience`, and the table of docs/commands.md."""

from collections.abc import Iterator

import click

import app


def commands(
    group: click.Group = app.audience, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    """(`site create`, the command) of each, sorted."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        elif command is not None:
            yield " ".join((*path, name)), command


def commands_table() -> str:
    lines = ["| Command | Does |", "|---|---|"]
    for name, command in commands():
        pieces = [f"audience {name}", *command.collect_usage_pieces(click.Context(command))]
        usage = " ".join(pieces).replace("[OPTIONS]", "").replace("  ", " ").strip().replace("|", "\\|")
        [does, *_] = (command.help or "").splitlines()
        lines.append(f"| `{usage}` | {does} |")
    return "\n".join(lines)
