"""Wires the rooms, decides nothing."""

import os
import sys
import time
from functools import partial

import click
from flask import Flask

from audience import config, erased_pages, file_imports, pepper, protocols, tags, telemetry
from audience.answers.service import Answers, open_resolver
from audience.api import blueprints
from audience.cli.greeting import greeting
from audience.cli.instance import Instance
from audience.cli.main import audience
from audience.cli.output import as_json, show
from audience.config import Settings
from audience.errors import AudienceError
from audience.http import access, errors, health, request_log
from audience.http.admission import Admission
from audience.http.normalize import Normalizer
from audience.http.services import Services
from audience.operations import first_site, instance_files
from audience.operations.openers import Openers
from storage import database
from storage.errors import DiskFault, Unavailable, Unusable
from workers import embedded_redis, metrics, supervisor
from workers import worker as import_worker
from workers.child_process import ChildProcess
from workers.gate import CountingGate
from workers.limiter import Limiter
from workers.log import configure as configure_log
from workers.log import say
from workers.processes import Processes
from workers.queue import ImportQueue
from workers.redis_client import CircuitBreaker, connect
from workers.web import server as web_server
from workers.web.gateway import Gateway

EXPECTED_ERRORS = (config.SettingError, Unusable, supervisor.CannotServe, pepper.WrongPepper, AudienceError)

MIGRATION_TIMEOUT_SECONDS = 5.0  # for another command that migrates at the same time


def open_process(
    settings: Settings,
    metrics: protocols.Metrics | None = None,
    write_gate: protocols.Gate | None = None,
) -> None:
    """Sets the state of this process: metrics (none by default), database, pepper; may be called again.

    Raises `LostFile` before it makes a pepper or a database in place of a lost one.
    """
    telemetry.open(metrics or telemetry.NoMetrics())
    open_database(settings, write_gate)
    instance_files.check(settings)
    pepper.open(settings.instance)


def open_database(settings: Settings, write_gate: protocols.Gate | None = None) -> None:
    """Opens the database only, as `audience doctor` must not create a pepper."""
    database.open(
        settings.database,
        timeout=settings.database_timeout,
        connections=settings.database_connections,
        allow_faulty=settings.allow_faulty_sqlite,
        write_gate=write_gate,
    )


def create_app(
    settings: Settings,
    import_queue: protocols.ImportQueue,
    limiter: protocols.Limiter,
    processes: protocols.Processes,
    *,
    metrics: protocols.Metrics | None = None,
    resolver: protocols.Resolver | None = None,
    write_gate: protocols.Gate | None = None,
) -> Flask:
    """The web application of an instance whose database is migrated; by default it queries the real DNS."""
    open_process(settings, metrics, write_gate)
    app = Flask("audience", static_folder=None, instance_path=str(settings.instance))
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.json.compact = True  # type: ignore[attr-defined]
    child_process = ChildProcess()
    answers = Answers(settings, resolver, child_process)
    app.extensions["audience"] = Services(settings, import_queue, limiter, processes, answers, child_process)
    blueprints.register(app)
    app.register_blueprint(health.blueprint)
    errors.register(app, {Unavailable: errors.unavailable, DiskFault: errors.faulty_disk})
    request_log.register(app)
    access.check_scopes(app)
    app.wsgi_app = Normalizer(app.wsgi_app)  # type: ignore[method-assign]
    return app


def asgi() -> Gateway:
    """The web application of a web process."""
    settings = config.load()
    configure_log(settings.log_level)
    web_server.exit_with_parent()
    breaker = CircuitBreaker(connect(embedded_redis.url(settings)))
    app = create_app(
        settings,
        ImportQueue(breaker),
        Limiter(breaker),
        Processes(settings, breaker),
        metrics=metrics.start(settings.instance),
        resolver=open_resolver(settings, CountingGate(settings.web_threads // 2)),
        write_gate=CountingGate(settings.web_threads // 4),
    )
    app.extensions["audience"].answers.warm()
    return Gateway(app, Admission(app), settings)


def open_instance(settings: Settings) -> None:
    """Opens the instance and migrates its database, unless a service is running on it: raises `Unusable`."""
    open_process(settings)
    database.refuse_newer()
    deadline = time.monotonic() + MIGRATION_TIMEOUT_SECONDS
    while database.pending():
        try:
            with supervisor.hold_instance_lock(settings.instance):
                database.migrate()
        except supervisor.CannotServe as error:
            if time.monotonic() > deadline:
                raise Unusable(f"migrations are pending, but {error}") from error
            time.sleep(0.05)
    instance_files.adopt_pepper()


def check_migrated(settings: Settings) -> None:
    """Raises `Unusable` if the database is older or newer than this Audience."""
    open_process(settings)
    database.refuse_newer()
    if database.pending():
        raise Unusable("migrations are pending: run `audience migrate`")
    database.close()


@click.command()
@click.option("--new", is_flag=True, help="Start anew in a folder whose database is lost.")
@click.pass_obj
def serve(instance: Instance, new: bool) -> None:
    """Start Redis, the web server and the import workers. Ctrl-C stops them all.

    Example: AUDIENCE_PORT=9000 audience serve
    """
    settings = instance.settings
    Answers(settings).check()
    with supervisor.hold_instance_lock(settings.instance):
        settings.instance.chmod(0o700)
        if new:
            open_database(settings)
            instance_files.start_anew(settings)
        open_process(settings)
        database.migrate()
        instance_files.adopt_pepper()
        first = first_site.ensure(settings)
        database.close()
        metrics.forget(settings.instance)
        supervisor.serve(
            settings,
            [sys.executable, "-P", "-m", "app"],
            lambda url: say(greeting(url, settings, first), sys.stdout),
        )


@click.command()
@click.pass_obj
def web(instance: Instance) -> None:
    """Start only the web server, on a migrated instance.

    Example: audience web
    """
    Answers(instance.settings).check()
    check_migrated(instance.settings)
    web_server.serve(instance.settings, "app:asgi")


@click.command()
@click.pass_obj
def worker(instance: Instance) -> None:
    """Start only one import worker, on a migrated instance.

    Example: audience worker
    """
    settings = instance.settings
    check_migrated(settings)
    chores = (file_imports.sweep, tags.sweep, partial(erased_pages.run, settings.instance))
    import_worker.run(settings, lambda: open_process(settings, metrics.start(settings.instance)), chores)


@click.command()
@as_json
@click.pass_obj
def migrate(instance: Instance, as_json: bool) -> None:
    """Migrate the database; `serve` does so too.

    Example: audience migrate
    """
    instance.open()
    show({"up_to_date": True}, as_json, ["The database is up to date."])


for command in (serve, web, worker, migrate):
    audience.add_command(command)


def instance(settings: Settings) -> Instance:
    return Instance(
        settings,
        open=lambda: open_instance(settings),
        openers=Openers(open_process, open_database),
        processes=Processes(settings),
        child_process=ChildProcess(),
    )


def main() -> None:
    """The entry point `audience`. Files that it creates are private to the user."""
    os.umask(0o077)
    try:
        audience(prog_name="audience", obj=instance(config.load()))
    except EXPECTED_ERRORS as error:
        sys.exit(fail(str(error)))
    except DiskFault as error:
        sys.exit(fail(f"the disk is full or faulty ({error}): make room, or repair it, then try again"))
    except Unavailable as error:
        sys.exit(fail(f"the database is unavailable or busy ({error}): try again in a moment"))
    except OSError as error:
        sys.exit(fail(f"{error.filename or 'the system'}: {error.strerror or error}"))


def fail(reason: str) -> int:
    """Prints why a command failed; its exit code."""
    say(f"audience: {reason}", sys.stderr)
    return 2


if __name__ == "__main__":
    main()
