"""docs/files.md: its commands run, and its tables match the code."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from schemas.formats.meanings import IGNORED, MEANINGS
from tests.conftest import program
from tests.service import PATIENCE_SECONDS, serving, until

PAGE = (Path(__file__).parents[2] / "docs" / "files.md").read_text("utf-8")
COMMANDS = re.findall(r"^    audience (.*?)(?: > \S+)?$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_page_runs(run, client, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    name = "Mail" if "--map" in line else "email"
    Path("people.csv").write_text(f"{name},plan\nann@example.com,pro\n")
    run(*shlex.split(line.replace("SITE_UUID", client.site.uuid)))


def test_the_table_of_columns_has_every_column():
    table = PAGE.partition("| Column | Meaning |\n|---|---|\n")[2].partition("| any other name")[0]
    named = {name for line in table.splitlines() for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert named == {*MEANINGS, *IGNORED} - {"", "ignore"}


def test_the_call_of_the_page_answers(tmp_path):
    program("curl")
    [line] = re.findall(r"^    (curl .*)$", PAGE, re.MULTILINE)
    (tmp_path / "people.csv").write_text("email\nann@example.com\n")
    with serving(tmp_path / "instance") as service:
        variables = {
            "API": f"http://127.0.0.1:{service.port}/api/v1",
            "KEYS": f"{service.first['publishable_key']}:{service.first['secret_key']}",
            "SITE": f"site_uuid={service.first['site_uuid']}",
        }
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=tmp_path,
            env=os.environ | variables,
            capture_output=True,
            timeout=PATIENCE_SECONDS,
        )
        assert json.loads(done.stdout)["data"]["attributes"]["total"] == 1
        until(lambda: service.call("GET", "/stats/site")[1]["user_count"] == 1)
