"""What operators have cron and systemd run works with the little that these give it."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_help import COMMANDS, RUN_UNTIL_STOPPED
from tests.service import PATIENCE_SECONDS, attended, free_port, give_places

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "operations.md").read_text("utf-8")
PROGRAM = str(Path(sys.executable).parent / "audience")
CRON = {"HOME": "/", "LOGNAME": "audience", "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh"}
SYSTEMD = {
    "LANG": "C",
    "LOGNAME": "audience",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "SHELL": "/usr/sbin/nologin",
}
# Examples that name what is not there, ask before they do it, need an index or a service: their answer is no.
REFUSED = {
    "api", "backup check", "console", "erasures apply", "field delete", "form open", "imports retry",
    "imports undo", "jobs retry", "mail test", "move", "operator remove", "operator reset",
    "operator reset-2fa", "operator role", "restore", "sign-up ask", "sign-up send", "site create",
    "site delete", "site unlist", "subscriber erase", "tables renew", "tag merge", "tag rename",
    "webhook replay", "webhook test",
}  # fmt: skip


def bare(variables, *words, **options):
    """Runs a program with these variables and no others."""
    return subprocess.run(
        ["env", "-i", *(f"{name}={value}" for name, value in variables.items()), *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
        **options,
    )


@pytest.fixture(scope="module")
def pattern(tmp_path_factory):
    """The folder of an instance with a site in use, and what `site create` said of it."""
    instance = tmp_path_factory.mktemp("bare") / "instance"
    instance.mkdir(0o700)
    config = instance / "config.toml"
    config.write_text('dns_servers = ["127.0.0.1:9"]\nwebhook_private_addresses = true\n')
    config.chmod(0o600)
    (instance.parent / "people.csv").write_text("email,first name\nann@example.com,Änn\n", "utf-8")

    def run(*words):
        done = bare({"AUDIENCE_INSTANCE": instance}, PROGRAM, *words, "--json", cwd=instance.parent)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    site = run("site", "create", "News")
    run("import", "people.csv", "--consent", "subscribed")
    run("segment", "create", "All", '{"status": "subscribed"}')
    run("site", "pages", site["site_uuid"], "--name", "Harbour Letters")
    run("form", "add", "Front page")
    run("webhook", "add", "https://192.0.2.1/hook")
    return instance, site


@pytest.fixture
def made(pattern, tmp_path):
    """A copy of it."""
    shutil.copytree(pattern[0].parent, tmp_path / "made")
    return tmp_path / "made" / "instance", pattern[1]


@pytest.fixture
def placed(made, tmp_path):
    """A text of the pages or of `deploy/`, with the test's own paths."""
    instance, _ = made
    (tmp_path / "backups").mkdir()

    def place(text):
        text = text.replace("/opt/audience/.venv/bin/audience", PROGRAM).replace("/opt/audience", str(ROOT))
        return text.replace("/var/lib/audience", str(instance)).replace(
            "/var/backups/audience", str(tmp_path / "backups")
        )

    return place


def example(command):
    [line] = [line for line in command.help.splitlines() if line.strip().startswith("Example:")]
    words = shlex.split(line.partition(":")[2].partition(" > ")[0])
    while words[0] != "audience":
        del words[0]
    return words[1:]


@pytest.mark.parametrize("variables", [CRON, SYSTEMD], ids=["cron", "systemd"])
@pytest.mark.parametrize(
    ("command", "path"),
    [pytest.param(*each, id=" ".join(each[1])) for each in COMMANDS if each[1] not in RUN_UNTIL_STOPPED],
)
def test_a_command_runs(made, command, path, variables):
    instance, site = made
    names = {**dict.fromkeys(("6f1c...", "6f"), site["site_uuid"]), "pk_...": site["publishable_key"]}
    words = [names.get(word, word) for word in example(command) if word != "--follow"]
    run = bare({**variables, "AUDIENCE_INSTANCE": instance}, PROGRAM, *words, cwd=instance.parent)
    assert "Traceback" not in run.stderr
    assert run.returncode == (" ".join(path) in REFUSED), run.stdout + run.stderr


def test_the_backup_before_an_upgrade_is_made_each_time(placed):
    [made] = re.findall(r"^    (install -d .+)$", PAGE, re.MULTILINE)
    [line] = re.findall(r"^    sudo -u audience (.+ backup .+)$", PAGE, re.MULTILINE)
    folder = Path(placed(made).split()[-1])
    for _ in range(2):
        subprocess.run(shlex.split(placed(made).replace("-o audience", "")), check=True)
        run = bare(SYSTEMD, "/bin/sh", "-c", f"{placed(line)} && sleep 1", cwd="/")
        assert run.returncode == 0, run.stderr
    assert len(list(folder.iterdir())) == 2


def test_the_unit_for_systemd_serves(placed, made, tmp_path):
    instance, _ = made
    give_places(instance)
    unit = placed((ROOT / "deploy" / "audience.service").read_text("utf-8"))
    said = dict(re.findall(r"^(Environment|ExecStart|WorkingDirectory)=(.*)$", unit, re.MULTILINE))
    port, variables = free_port(), [f"{name}={value}" for name, value in SYSTEMD.items()]
    settings = [said["Environment"], f"AUDIENCE_PORT={port}", "AUDIENCE_WEB_WORKERS=1"]
    process = subprocess.Popen(
        ["env", "-i", *variables, *settings, *shlex.split(said["ExecStart"])],
        cwd=said["WorkingDirectory"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    with attended(process, instance, port) as service:
        assert service.process.poll() is None


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_whoever_runs_a_command_by_another_user_is_told_its_path(page):
    for line in re.findall(r"^ {4,}sudo .*$", page.read_text("utf-8"), re.MULTILINE):
        assert "/opt/audience/.venv/bin/audience" in line
