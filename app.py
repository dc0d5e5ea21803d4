"""Wires the rooms, and decides nothing.

Heavy modules are imported inside the functions that use them, so that a command starts at once.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from audience import config, protocols
from audience.cli import wrong_calls
from audience.cli.instance import Instance, on_new_instance
from audience.cli.main import audience as audience
from audience.cli.output import as_json, show
from audience.config import Settings
from audience.errors import AudienceError
from audience.operations.openers import Openers
from audience.operations.opening import check_migrated, open_database, open_migrated, open_process, prepare
from audience.privacy import pepper
from storage.errors import DiskFault, Unavailable, Unfinished, Unusable
from workers.child_process import ChildProcess
from workers.instance_lock import CannotServe, as_served, hold_instance_lock
from workers.log import configure as configure_log
from workers.log import say

if TYPE_CHECKING:
    from flask import Flask

    from workers.web.gateway import Gateway

# What web processes need besides the routes: loaded before they are forked, so that they share its memory.
OF_WEB_PROCESSES = ("audience.http.admission", "workers.web.gateway", "workers.web.parts")
EXPECTED_ERRORS = (config.SettingError, Unusable, CannotServe, pepper.WrongPepper, AudienceError)

open_instance = partial(open_migrated, hold_lock=hold_instance_lock, held_elsewhere=CannotServe)


def create_app(
    settings: Settings,
    import_queue: protocols.ImportQueue,
    limiter: protocols.Limiter,
    processes: protocols.Processes,
    *,
    metrics: protocols.Metrics | None = None,
    resolver: protocols.Resolver | None = None,
    write_gate: protocols.Gate | None = None,
    parse_gate: protocols.Gate | None = None,
    routes: Flask | None = None,
) -> Flask:
    """The web application of a migrated instance. Without a `resolver`, it queries the real DNS.

    `routes` is from `create_routes`, made before a fork or reused for another instance.
    """
    from audience.answers.service import Answers
    from audience.http.services import Services

    open_process(settings, metrics, write_gate)
    app = routes or create_routes()
    child_process = ChildProcess()
    answers = Answers(settings, resolver, child_process)
    app.extensions["audience"] = Services(
        settings, import_queue, limiter, processes, answers, child_process, parse_gate
    )
    return app


def create_routes() -> Flask:
    """A web application with all routes, but no instance yet."""
    from audience.api import blueprints, doc_tables
    from audience.cli.command_table import command_table
    from audience.console import blueprints as console
    from audience.http import access, change_notices, errors, health, request_log
    from audience.http.application import Application
    from audience.http.normalize import Normalizer
    from audience.pages import blueprints as pages
    from audience.pages.page import error_page

    doc_tables.TABLES["commands"] = partial(command_table, audience)
    app = Application("audience", static_folder=None)
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    blueprints.register(app)
    console.register(app)
    pages.register(app)
    app.register_blueprint(health.blueprint)
    failed = {
        Unavailable: errors.unavailable_response,
        Unfinished: errors.unfinished_response,
        DiskFault: errors.faulty_disk,
    }
    errors.register(app, failed, {"console": console.error_page, pages.NAME: error_page})
    request_log.register(app)
    change_notices.register(app)
    access.check_scopes(app)
    app.wsgi_app = Normalizer(app.wsgi_app)  # type: ignore[method-assign]
    return app


def asgi() -> Gateway:
    """The web application of a web process."""
    settings = load_settings()
    from audience.answers.service import open_resolver
    from audience.http.admission import Admission
    from workers import interpreter
    from workers.web import server as web_server
    from workers.web.gateway import Gateway
    from workers.web.parts import parts

    configure_log(settings.log_level, settings.log_format)
    web_server.exit_with_parent()
    process = parts(settings)
    app = create_app(
        settings,
        process.import_queue,
        process.limiter,
        process.processes,
        metrics=process.metrics,
        resolver=open_resolver(settings, process.gates.ask_dns),
        write_gate=process.gates.write,
        parse_gate=process.gates.parse,
        routes=web_server.shared_object(),
    )
    app.extensions["audience"].answers.warm()
    interpreter.settle()
    return Gateway(app, Admission(app), settings, process.threads)


@click.command()
@click.option("--new", is_flag=True, help="Start a new instance in a folder whose database is lost.")
@click.option("--web-only", is_flag=True, help="Start no worker: they run on other hosts.")
@click.pass_obj
def serve(instance: Instance, new: bool, web_only: bool) -> None:
    """Start Redis, the web server and the import workers. Ctrl-C stops them all.

    Example: AUDIENCE_PORT=9000 audience serve
    """
    from audience.cli import greeting
    from workers import supervisor
    from workers.preparation import outcome_of

    settings = instance.settings
    with hold_instance_lock(settings.instance, settings):
        settings.instance.chmod(0o700)
        link = outcome_of(f"import app; app.prepare_alone({new}, {sys.stdout.isatty()})")
        for step in greeting.steps(settings, web_only):
            say(step, sys.stdout)
        supervisor.serve(
            settings,
            [sys.executable, "-P", "-m", "app"],
            lambda url: say(greeting.greeting(url, settings, link), sys.stdout),
            web_only,
        )
        say(greeting.GOODBYE, sys.stdout)


def prepare_alone(new: bool, on_terminal: bool) -> None:
    """Runs `prepare` in a process of its own, for `serve`, which holds the lock. Prints JSON and exits."""

    def run() -> int:
        from audience.answers.service import Answers
        from workers import metrics

        settings = load_settings()
        Answers(settings).check()
        outcome = prepare(settings, new, on_terminal)
        metrics.forget(settings.instance)
        sys.stdout.write(json.dumps(outcome))
        return 0

    sys.exit(exit_status(run))


@click.command()
@click.pass_obj
def web(instance: Instance) -> None:
    """Start only the web server, on a migrated instance.

    Example: audience web
    """
    from audience.answers.service import Answers
    from workers import interpreter
    from workers.web import server as web_server

    answers = Answers(instance.settings)
    answers.check()
    check_migrated(instance.settings)
    answers.load()
    routes = create_routes()
    for module in OF_WEB_PROCESSES:
        importlib.import_module(module)
    interpreter.settle()
    web_server.serve(instance.settings, "app:asgi", routes)


@click.command()
@click.pass_obj
def worker(instance: Instance) -> None:
    """Start only one import worker, on a migrated instance.

    Example: audience worker
    """
    from audience.operations.job_kinds import kinds
    from schemas.change_log import change
    from schemas.file_imports import look_through
    from schemas.file_texts import kept_texts
    from storage.instance import erased_pages
    from workers import interpreter, metrics
    from workers import worker as import_worker
    from workers.after_backup import AfterBackup

    settings = instance.settings
    check_migrated(settings)
    interpreter.settle()
    import_worker.run(
        settings,
        lambda: open_process(settings, metrics.start(settings.instance)),
        kinds(
            settings,
            change,
            partial(look_through, ChildProcess()),
            partial(kept_texts, ChildProcess()),
            AfterBackup(),
        ),
        partial(erased_pages.keep_log_short, settings.instance),
    )


@click.command()
@click.option("--backed-up", is_flag=True, help="You have backed the database up on its server.")
@as_json
@on_new_instance
def migrate(_: Settings, as_json: bool) -> None:
    """Migrate the database; `serve` does so too.

    Example: audience migrate
    """
    show({"up_to_date": True}, as_json, ["The database is up to date."])


def processes(settings: Settings) -> protocols.Processes:
    from workers.processes import Processes

    return Processes(settings)


def instance(settings: Settings) -> Instance:
    return Instance(
        settings,
        as_served=partial(as_served, settings),
        open=partial(open_instance, settings),
        openers=Openers(open_process, open_database),
        processes=partial(processes, settings),
        child_process=ChildProcess(),
    )


for command in (serve, web, worker, migrate):
    audience.add_command(command)


def load_settings() -> Settings:
    """The settings of this process.

    On SQLite, keeps peewee from importing PostgreSQL's driver, which takes half of a command's start, unless
    `move` or `mirror` may need it.
    """
    settings = config.load()
    modules: dict[str, Any] = sys.modules
    if settings.database.startswith("sqlite:") and sys.argv[1:2] not in (["move"], ["mirror"]):
        modules.setdefault("psycopg", None)
    return settings


def main() -> None:
    """The entry point `audience`. Files that it creates are private to the user."""
    os.umask(0o077)

    def run() -> int:
        status = audience.main(prog_name="audience", obj=instance(load_settings()), standalone_mode=False)
        return status or 0

    sys.exit(exit_status(run))


def exit_status(run: Callable[[], int]) -> int:
    """Runs a command and returns its exit status. Prints the reason of an expected error.

    The status is 1 for a negative answer or an error, 2 for a wrong call or setting, 3 if only a part was
    done.
    """
    try:
        return run()
    except click.Abort:
        return fail("stopped")
    except click.UsageError as error:
        usage = f"{error.ctx.get_usage()}\n" if error.ctx else ""
        return fail(wrong_calls.usage_message(error), 2, usage)
    except click.ClickException as error:
        return fail(error.format_message(), error.exit_code)
    except EXPECTED_ERRORS as error:
        return fail(str(error), 2 if isinstance(error, config.SettingError) else 1)
    except Unavailable as error:
        return fail(f"{error.said} ({error}): {error.remedy}")
    except UnicodeEncodeError as error:
        if error.encoding != "utf-8":
            raise
        return fail("an argument is not UTF-8: type it again", 2)
    except OSError as error:
        return fail(f"{error.filename or 'the system'}: {error.strerror or error}")


def fail(reason: str, status: int = 1, usage: str = "") -> int:
    """Prints why a command failed. Returns `status`."""
    say(f"{usage}audience: {reason}", sys.stderr)
    return status


if __name__ == "__main__":
    main()
