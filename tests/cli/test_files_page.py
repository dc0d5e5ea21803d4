"""docs/files.md: its commands run, and its tables name what the code knows."""

import re
import shlex
from pathlib import Path

import pytest

from schemas import columns
from tests.cli.test_import import command

PAGE = (Path(__file__).parents[2] / "docs" / "files.md").read_text("utf-8")
COMMANDS = re.findall(r"^    audience (.*?)(?: > \S+)?$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_page_runs(run, door, tmp_path, monkeypatch, line):
    monkeypatch.setattr(command, "PATIENCE", 0.0)
    monkeypatch.chdir(tmp_path)
    name = "E-Mail" if "--map" in line else "email"
    Path("people.csv").write_text(f"{name},plan\nann@example.com,pro\n")
    run(*shlex.split(line.replace("SITE_UUID", door.site.uuid)))


def test_the_table_of_columns_has_every_column():
    table = PAGE.partition("| Column | Meaning |\n|---|---|\n")[2].partition("| any other name")[0]
    named = {name for line in table.splitlines() for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert named == columns.KNOWN.keys() | columns.IGNORED - {""}
