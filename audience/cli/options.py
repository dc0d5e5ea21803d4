"""Options that several commands have."""

import click

site_option = click.option("--site", "site_uuid", required=True, help="Uuid of the site.")
