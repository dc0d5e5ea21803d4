"""Commands run on a test's instance."""

import json
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner

from app import instance
from audience.cli import following
from audience.cli.main import audience
from tests.client import FakeProcesses

ANSWERS = ("--consent", "--consent-column", "--answers", "--from", "--subscribed")


@pytest.fixture
def type_(app, settings):
    """Runs a command on the instance of `app`. Returns its result.

    Everyone in an imported file is subscribed, unless `asked` is true or an option answers for the file.
    """

    def run(*words, asked=False, **options):
        said = [str(each) for each in words]
        if said[:1] == ["import"] and not asked and not {*said} & {*ANSWERS}:
            said += ["--consent", "subscribed"]
        return CliRunner().invoke(audience, said, obj=instance(settings), **options)

    return run


@pytest.fixture
def run(type_):
    """Runs a command. Returns its output, or its JSON with `--json`. Fails on another exit code."""

    def invoke(*words, exit_code=0, **options):
        result = type_(*words, **options)
        assert result.exit_code == exit_code, (result.output, result.exception)
        return json.loads(result.stdout) if "--json" in words and not exit_code else result.output

    return invoke


@pytest.fixture
def doctor(app, settings):
    """Runs the doctor on the instance of `app`. Returns the exit code and the results by check."""

    def run(*words, processes=None, settings=settings):
        opened = replace(instance(settings), processes=lambda: processes or FakeProcesses())
        result = CliRunner().invoke(
            audience, ["doctor", "--json", *(words or ("--offline",))], obj=opened, catch_exceptions=False
        )
        results: dict[str, list[Any]] = {}
        for each in json.loads(result.stdout)["findings"]:
            results.setdefault(each["check"], []).append(each)
        return result.exit_code, results

    return run


@pytest.fixture
def private(settings, app):
    """Makes the instance's files private to their owner, as the doctor demands."""
    settings.instance.chmod(0o700)
    for file in settings.instance.iterdir():
        file.chmod(0o600)


@pytest.fixture
def backup(type_, client, tmp_path):
    """The file of a backup of two subscribers."""
    client.create("ann@example.com", tags="vip", fields={"plan": "pro"})
    client.create("bob@example.com")
    file = tmp_path / "backup.tar"
    result = type_("backup", str(file), "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["rows"]["subscribers"] == 2
    return file


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """Commands do not wait for another process to apply rows."""
    monkeypatch.setattr(following, "STALL_SECONDS", 0.0)


@pytest.fixture
def import_file(run, client, tmp_path):
    """Imports a file with this text. Returns the command's JSON."""

    def invoke(text, *options, name="people.csv", **more):
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        words = ("import", file, "--site", client.site.uuid, "--json", "--allow-refused")
        return run(*words, *options, **more)

    return invoke
