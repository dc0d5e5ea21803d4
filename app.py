"""Wires the rooms, decides nothing."""

import os
import sys
import time
from functools import partial

import click
from flask import Flask

from audience import api, config, files, first_site, journal, pepper, ports, tags, traces
from audience.api import errors
from audience.api import journal as requests_told
from audience.api.endpoint import check_scopes
from audience.api.front import Front
from audience.api.wiring import Wiring
from audience.cli import audience
from audience.cli.instance import Instance
from audience.cli.output import as_json, show
from audience.config import Settings
from audience.errors import AudienceError
from audience.judges import Judges
from storage import database
from storage.errors import Unavailable, Unusable
from workers import embedded_redis, meter, supervisor
from workers import web as web_server
from workers import worker as import_worker
from workers.limiter import Limiter
from workers.link import Link, connect
from workers.meter import Meter
from workers.processes import Processes
from workers.queue import Doorbell
from workers.vitals import Vitals

SENTENCES = (config.SettingError, Unusable, supervisor.CannotServe, pepper.WrongPepper, AudienceError)

MIGRATED_WITHIN = 5.0  # seconds, by another command that began at the same time
GREETING = """
Your first site, shown once (also in the instance folder, in first-site.json):

  site_uuid        {site_uuid}
  publishable_key  {publishable_key}
  secret_key       {secret_key}

Create a person:

  curl -u '{publishable_key}:{secret_key}' '{base_url}/api/v1/fetch/subscribers?site_uuid={site_uuid}' \\
    -H 'Content-Type: application/json' -d '{{"subscriber": {{"email": "ann@example.com", "tags": "vip"}}}}'
"""


def open_database(settings: Settings) -> None:
    database.open(
        settings.database,
        timeout=settings.database_timeout,
        connections=settings.database_connections,
        allow_faulty=settings.allow_faulty_sqlite,
    )


def create_app(
    settings: Settings, doorbell: ports.Doorbell, limiter: ports.Limiter, vitals: ports.Vitals
) -> Flask:
    """The web application over an instance whose database is migrated."""
    pepper.open(settings.instance)
    open_database(settings)
    app = Flask("audience", static_folder=None, instance_path=str(settings.instance))
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.json.compact = True  # type: ignore[attr-defined]
    app.extensions["audience"] = Wiring(settings, doorbell, limiter, vitals, Judges(settings))
    api.register(app)
    errors.register(app, away=[Unavailable])
    requests_told.register(app)
    check_scopes(app)
    app.wsgi_app = Front(app.wsgi_app)  # type: ignore[method-assign]
    return app


def wsgi() -> Flask:
    """The web application of a web process."""
    settings = config.load()
    link = Link(connect(embedded_redis.url(settings)))
    journal.open(Meter(settings.instance))
    app = create_app(settings, Doorbell(link), Limiter(link), Vitals(link, settings.instance))
    app.extensions["audience"].judges.warm()
    return app


def open_instance(settings: Settings) -> None:
    """Opens what is remembered, and brings it up to date unless a service is running on it."""
    pepper.open(settings.instance)
    open_database(settings)
    database.refuse_newer()
    deadline = time.monotonic() + MIGRATED_WITHIN
    while database.pending():
        try:
            with supervisor.only_one(settings.instance):
                database.migrate()
        except supervisor.CannotServe as error:
            if time.monotonic() > deadline:
                raise Unusable(f"migrations are pending, but {error}") from error
            time.sleep(0.05)


def check_migrated(settings: Settings) -> None:
    """Raises `Unusable` where the database is older or newer than this Audience."""
    open_database(settings)
    database.refuse_newer()
    if database.pending():
        raise Unusable("migrations are pending: run `audience migrate`")
    database.close()


@click.command()
@click.pass_obj
def serve(instance: Instance) -> None:
    """Start everything: Redis, the web server, the import workers. Ctrl-C stops it all.

    Example: AUDIENCE_PORT=9000 audience serve
    """
    settings = instance.settings
    Judges(settings).check()
    with supervisor.only_one(settings.instance):
        settings.instance.chmod(0o700)
        pepper.open(settings.instance)
        open_database(settings)
        database.migrate()
        first = first_site.ensure(settings)
        database.close()
        meter.forget(settings.instance)
        supervisor.serve(
            settings, [sys.executable, "-P", "-m", "app"], lambda url: greet(url, settings, first)
        )


@click.command()
@click.pass_obj
def web(instance: Instance) -> None:
    """Start the web server alone, on an instance that is migrated.

    Example: audience web
    """
    Judges(instance.settings).check()
    check_migrated(instance.settings)
    web_server.serve(instance.settings)


@click.command()
@click.pass_obj
def worker(instance: Instance) -> None:
    """Start one import worker alone, on an instance that is migrated.

    Example: audience worker
    """
    check_migrated(instance.settings)
    chores = (files.sweep, tags.sweep, partial(traces.settle, instance.settings.instance))
    import_worker.run(instance.settings, lambda: open_worker(instance.settings), chores)


@click.command()
@as_json
@click.pass_obj
def migrate(instance: Instance, as_json: bool) -> None:
    """Bring the database up to date; `serve` does it too.

    Example: audience migrate
    """
    instance.open()
    show({"up_to_date": True}, as_json, ["The database is up to date."])


def open_worker(settings: Settings) -> None:
    journal.open(Meter(settings.instance))
    pepper.open(settings.instance)
    open_database(settings)


def greet(url: str, settings: Settings, first: dict[str, str] | None) -> None:
    """Says where the service is; the first site's keys only once, and only to a person."""
    click.echo(f"Audience is at {url}  (Ctrl-C stops it)")
    if first and sys.stdout.isatty():
        click.echo(GREETING.format(**first))
    elif first:
        click.echo(f"The first site and its keys are in {settings.instance / first_site.FILE}")


for command in (serve, web, worker, migrate):
    audience.add_command(command)


def instance(settings: Settings) -> Instance:
    return Instance(
        settings,
        open=lambda: open_instance(settings),
        connect=lambda: open_database(settings),
        processes=Processes(settings),
    )


def main() -> None:
    """The entry point `audience`. What it makes is its user's alone."""
    os.umask(0o077)
    try:
        audience(prog_name="audience", obj=instance(config.load()))
    except SENTENCES as error:
        sys.exit(refuse(str(error)))
    except Unavailable as error:
        sys.exit(refuse(f"the database is away or busy ({error}): try again in a moment"))
    except OSError as error:
        sys.exit(refuse(f"{error.filename or 'the system'}: {error.strerror or error}"))


def refuse(reason: str) -> int:
    """Says why a command ends; its exit code."""
    click.echo(f"audience: {reason}", err=True)
    return 2


if __name__ == "__main__":
    main()
