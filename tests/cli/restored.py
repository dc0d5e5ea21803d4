"""Commands on an instance that no other process uses, as `audience restore` wants it."""

from click.testing import CliRunner

import app as services
from audience.cli.main import audience
from storage import database


def run_on(settings, *words, **options):
    """Runs a command on another instance, as in another process."""
    database.close()
    return CliRunner().invoke(audience, words, obj=services.instance(settings), **options)


def reopen(settings):
    database.close()
    services.open_instance(settings)
