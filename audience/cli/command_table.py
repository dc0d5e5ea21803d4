"""The table of all commands, for docs/commands.md as the service shows it."""

import click


def command_table(audience: click.Group) -> str:
    """Markdown with a row for each command, which has its subcommands and the first line of its help."""
    context = click.Context(audience)
    lines = ["| Command | Subcommands | Does |", "|---|---|---|"]
    for name in audience.list_commands(context):
        if command := audience.get_command(context, name):
            subcommands = ", ".join(f"`{path}`" for path in _within(command))
            [does, *_] = (command.help or "").splitlines()
            lines.append(f"| `audience {name}` | {subcommands} | {does} |")
    return "\n".join([*lines, ""])


def _within(command: click.Command) -> list[str]:
    """The words of each subcommand, such as `links rotate` of `site`."""
    if not isinstance(command, click.Group):
        return []
    return sorted(
        f"{name} {below}".strip()
        for name, subcommand in command.commands.items()
        for below in _within(subcommand) or [""]
    )
