"""A command loads no more than it needs; failures have one form."""

import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from audience.cli.main import COMMANDS, audience
from tests.depth import sample
from tests.service import PATIENCE_SECONDS, command, environment

ROOT = Path(__file__).parents[2]
HEAVY = {
    "asyncio", "bleach", "dns", "flask", "granian", "marshmallow", "maxminddb", "openpyxl",
    "peewee", "prometheus_client", "psycopg", "redis", "rq", "smtplib", "standardwebhooks", "werkzeug",
}  # fmt: skip
LOADED = {
    ("--version",): (),
    ("--help",): (),
    ("serve", "--help"): (),
    ("config",): (),
    ("migrate",): ("peewee",),
    ("answer", "name", "Ann"): ("marshmallow",),
    ("answer", "text", "Hello"): ("marshmallow", "bleach"),
    ("answer", "address", "no address"): ("marshmallow", "dns", "asyncio"),
    ("answer", "domain", "mail.test"): ("marshmallow", "dns", "asyncio"),
    ("api", "--help"): (),
    ("backup", "TMP/backup.tar"): ("peewee",),
    ("changes", "--help"): ("peewee", "marshmallow"),
    ("console",): ("peewee",),
    ("demo", "--help"): ("peewee",),
    ("doctor", "--offline"): ("peewee", "dns", "asyncio"),
    ("erasures", "--help"): ("peewee",),
    ("event", "list"): ("peewee",),
    ("export",): ("peewee", "marshmallow"),
    ("field", "list"): ("peewee",),
    ("form", "list"): ("peewee", "marshmallow"),
    ("import", "TMP/people.csv", "--consent", "subscribed"): ("peewee", "marshmallow"),
    ("imports", "list"): ("peewee",),
    ("imports", "undo", "--help"): ("peewee",),
    ("jobs", "list"): ("peewee",),
    ("key", "list"): ("peewee",),
    ("mail", "test", "--help"): ("peewee",),
    ("mirror", "--help"): ("peewee", "psycopg", "asyncio"),
    ("move", "--help"): ("peewee", "psycopg", "asyncio"),
    ("operator", "list"): ("peewee",),
    ("report", "list"): ("peewee", "marshmallow"),
    ("restore", "--help"): ("peewee",),
    ("segment", "list"): ("peewee", "marshmallow"),
    ("sign-up", "list"): ("peewee", "marshmallow"),
    ("site", "links", "rotate", "News"): ("peewee",),
    ("site", "list"): ("peewee",),
    ("subscriber", "add", "ann@example.com", "--consent", "subscribed"): ("peewee", "marshmallow"),
    ("subscriber", "find", "bob@example.com"): ("peewee",),
    ("subscriber", "find", "bob@example.com", "--json"): ("peewee", "marshmallow"),
    ("subscriber", "links", "bob@example.com"): ("peewee",),
    ("subscriber", "list"): ("peewee",),
    ("subscriber", "unsubscribe", "bob@example.com"): ("peewee", "marshmallow"),
    ("tables", "--help"): (),
    ("tag", "list"): ("peewee",),
    ("webhook", "list"): ("peewee", "marshmallow"),
}
IMPORTED = """
import sys
try:
    import app
    sys.argv = ["audience", *sys.argv[1:]]
    app.main()
finally:
    loaded = [name for name, module in list(sys.modules.items()) if module]
    print(*sorted(loaded), file=sys.stderr)
"""


def type_(instance, *words, **settings):
    return subprocess.run(
        command(*words),
        cwd=ROOT,
        env=environment(instance, 8000, **settings),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )


def imported(instance, *words, modules=False):
    """The packages that a command loads, or all their modules."""
    run = subprocess.run(
        [sys.executable, "-c", IMPORTED, *words],
        cwd=ROOT,
        env=environment(instance, 8000),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert run.returncode == 0, run.stderr
    loaded = run.stderr.splitlines()[-1].split()
    return set(loaded) if modules else {name.partition(".")[0] for name in loaded}


@pytest.fixture(scope="module")
def used(tmp_path_factory):
    """An instance with a site and a subscriber, and a file for another."""
    folder = tmp_path_factory.mktemp("used")
    folder.joinpath("people.csv").write_text("email\nbob@example.com\n", "utf-8")
    assert type_(folder / "instance", "site", "create", "News").returncode == 0
    assert (
        type_(folder / "instance", "import", str(folder / "people.csv"), "--consent", "subscribed").returncode
        == 0
    )
    return folder


@pytest.mark.parametrize("words", sample([*LOADED], 3), ids=" ".join)
def test_a_command_loads_no_more_than_it_needs(used, words):
    typed = [word.replace("TMP", str(used)) for word in words]
    assert imported(used / "instance", *typed) & HEAVY == set(LOADED[words])


def test_what_every_command_loads_is_known():
    assert {words[0] for words in LOADED} >= set(COMMANDS)


def test_a_move_from_sqlite_has_the_driver_of_postgresql(used):
    instance = used / "instance"
    moved = type_(instance, "move", "--to", "postgresql://none@127.0.0.1:1/none?connect_timeout=1")
    assert moved.returncode == 1
    assert "psycopg" not in moved.stderr


def test_the_version_is_that_of_the_project(tmp_path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert type_(tmp_path, "--version").stdout == f"audience {project['version']}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_list_is_there(name):
    assert audience.get_command(click.Context(audience), name) is not None


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("site", "delete", "none", "--yes"), 1, "there is no instance in "),
        (("nothing",), 2, "No such command 'nothing'."),
        (("key", "rotate"), 2, "PUBLISHABLE_KEY is missing."),
        (("site", "create", "News", "--time-zone", "Mars"), 1, "The time zone must be a name from the IANA"),
    ],
)
def test_a_failure_has_one_form(tmp_path, words, status, sentence):
    run = type_(tmp_path, *words)
    assert (run.returncode, run.stdout) == (status, "")
    last = run.stderr.splitlines()[-1]
    assert last.startswith(f"audience: {sentence}")


@pytest.mark.parametrize(
    "words",
    [
        ("field", "delete"),
        ("site", "rename", "News"),
        ("subscriber", "find"),
        ("subscriber", "subscribe", "bob@example.com", "--reason"),
    ],
    ids=" ".join,
)
def test_an_argument_that_is_no_text_has_that_form(used, words):
    if words[-1] == "--reason":
        assert type_(used / "instance", "subscriber", "unsubscribe", "bob@example.com").returncode == 0
    run = type_(used / "instance", *words, "\udcff")
    assert (run.returncode, run.stderr) == (2, "audience: an argument is not UTF-8: type it again\n")
    if words[-1] == "--reason":
        assert "unsubscribed" in type_(used / "instance", "subscriber", "find", "bob@example.com").stdout


def test_an_instance_that_is_no_folder_is_named(tmp_path):
    (tmp_path / "file").touch()
    run = type_(tmp_path / "file", "site", "list")
    assert run.returncode == 2
    assert run.stderr == f"audience: {tmp_path}/file is no folder: set AUDIENCE_INSTANCE to one\n"


def test_a_wrong_setting_is_a_wrong_call(tmp_path):
    run = type_(tmp_path, "site", "list", AUDIENCE_PORT="none")
    assert (run.returncode, run.stderr.startswith("audience: ")) == (2, True)


@pytest.mark.parametrize(
    ("words", "spared"),
    [
        (("imports", "list"), {"audience.undo.undos", "audience.cli.following"}),
        (("imports", "failed"), {"audience.imports.imports", "audience.subscribers.subscribers"}),
        (
            ("subscriber", "find", "bob@example.com"),
            {"audience.subscribers.commands", "audience.erasures.erasures"},
        ),
    ],
)
def test_a_command_loads_nothing_of_its_neighbours(used, words, spared):
    assert not imported(used / "instance", *words, modules=True) & spared


def test_what_needs_no_date_and_no_address_loads_no_parser_of_them(tmp_path):
    assert type_(tmp_path, "site", "create", "News").returncode == 0
    assert imported(tmp_path, "site", "list") & {"dateutil", "difflib", "email_validator"} == set()


SUPERVISED = """
import sys
from pathlib import Path
import app
from workers import supervisor
supervisor.serve = lambda *_: None
sys.argv = ["audience", "serve"]
try:
    app.main()
finally:
    print(*sorted({name.partition(".")[0] for name in list(sys.modules)}), file=sys.stderr)
"""


def test_the_supervisor_is_lean(tmp_path):
    """It outlives all others: what the preparation needs is gone with the process that prepares."""
    run = subprocess.run(
        [sys.executable, "-c", SUPERVISED],
        cwd=ROOT,
        env=environment(tmp_path, 8000),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert run.returncode == 0, run.stderr
    heavy = {"flask", "werkzeug", "peewee", "marshmallow", "dns", "granian", "prometheus_client"}
    assert set(run.stderr.splitlines()[-1].split()) & heavy == set()
    assert (tmp_path / "first-site.json").exists()
