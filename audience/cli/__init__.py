"""The operator's commands, by noun; `app.py` adds those that start processes."""

import click

from audience.cli import (
    backups,
    check,
    demo,
    doctor,
    exports,
    imports,
    inbox,
    keys,
    persons,
    reports,
    segments,
    sites,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def audience() -> None:
    """The people behind an e-mail list, over HTTP and JSON.

    Settings come from the environment (AUDIENCE_PORT=9000), over config.toml in the instance folder, over
    the defaults.

    Example: audience serve
    """


audience.add_command(sites.site)
audience.add_command(keys.key)
audience.add_command(imports.import_file)
audience.add_command(exports.export)
audience.add_command(persons.person)
audience.add_command(check.check)
audience.add_command(segments.segment)
audience.add_command(reports.report)
audience.add_command(backups.backup)
audience.add_command(backups.restore)
audience.add_command(demo.demo)
audience.add_command(doctor.doctor)
audience.add_command(inbox.inbox)
