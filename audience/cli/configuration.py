"""`audience config`: the settings in effect."""

from typing import Any

import click

from audience import config
from audience.cli.output import as_json, show

HIDDEN = "(set, hidden)"


@click.command(name="config")
@as_json
def show_config(as_json: bool) -> None:
    """Show the settings in effect, and the source of each. Secrets are hidden.

    Example: audience config
    """
    rows = [
        {"name": name, "value": HIDDEN if value and name in config.SECRET else value, "from": origin}
        for name, (value, origin) in config.in_effect().items()
    ]
    show(rows, as_json, (f"{row['name']:<24} {_text(row['value']):<32} {row['from']}" for row in rows))


def _text(value: Any) -> str:
    text = ",".join(value) if isinstance(value, list) else str(value)
    return text or "-"
