"""docs/files.md: its commands run, and its tables match the code."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import openpyxl
import pytest

from schemas.formats.meanings import IGNORED, MEANINGS
from tests.service import PATIENCE_SECONDS, environment, serving, until

PAGE = (Path(__file__).parents[2] / "docs" / "files.md").read_text("utf-8")
OPTIONS = re.findall(r"^\|(?:[^`|]*\|)?[^`|]*`(--[^`]+)`", PAGE, re.MULTILINE)
STATE = "email,state\nann@example.com,in\n"
GHOST = "id,email,subscribed_to_emails,complimentary_plan,new\n1,ann@example.com,true,false,x\n"
PEOPLE = [["email"], ["ann@example.com"], ["bob@example.com"]]
EXAMPLES: dict[str, tuple[str, str | list[list[str]]]] = {  # words, if not the option itself, and a file
    "--consent subscribed": ("", STATE), "--consent unsubscribed": ("", STATE),
    "--consent unconfirmed": ("", STATE),
    "--consent-column HEADER": ("--consent-column state --subscribed in", STATE),
    "--map COLUMN=WHAT": ("--map 2=field:plan", STATE), "--from PROGRAM": ("--from ghost", GHOST),
    "--tag NAME": ("--tag vip", STATE), "--no-header": ("--no-header --map 1=email", "ann@example.com,x\n"),
    "--header-row 3": ("", f"Members,\n,\n{STATE}"),
    "--dates dmy": ("", "email,created_at\nann@example.com,01/02/2023\n"),
    "--unread-dates ignore": ("", "email,created_at\nann@example.com,soon\n"),
    "--tag-separator ';'": ("", "email,tags\nann@example.com,a;b\n"),
    "--encoding cp1250": ("", "email,město\nann@example.com,Plzeň\n"),
    "--sheet NAME": ("--sheet Sheet", PEOPLE),
    "--hidden-rows import": ("", PEOPLE), "--known merge": ("", STATE),
}  # fmt: skip
COMMANDS = re.findall(r"^    audience (?!api )(.*?)(?: > \S+)?$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_page_runs(run, client, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    name = "Mail" if "--map" in line else "email"
    Path("people.csv").write_text(f"{name},plan\nann@example.com,pro\n")
    run(*shlex.split(line.replace("SITE_UUID", client.site.uuid)))


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_the_page_runs(run, client, tmp_path, option):
    words, text = EXAMPLES[option]
    file = tmp_path / ("people.xlsx" if isinstance(text, list) else "people.csv")
    if isinstance(text, list):
        book = openpyxl.Workbook()
        for row in text:
            book.worksheets[0].append(row)
        book.worksheets[0].row_dimensions[3].hidden = "hidden" in option
        book.save(file)
    else:
        file.write_bytes(text.encode("cp1250" if "encoding" in option else "utf-8"))
    said = () if option.startswith(("--consent", "--from")) else ("--consent", "subscribed")
    run("import", file, "--site", client.site.uuid, *said, *shlex.split(words or option), asked=True)
    assert client.find("ann@example.com") is not None


def test_every_date_and_address_of_the_page_is_read(import_file, client):
    cells = PAGE.partition("- Dates are ISO 8601")[2].partition("; a column")[0]
    dates = re.findall(r"`([^`]+)`", cells)
    assert len(dates) == 3
    rows = [f'p{number}@example.com,"{date}"' for number, date in enumerate(dates)]
    import_file("\n".join(["email,created_at", *rows]) + "\n")
    found = [client.find(f"p{number}@example.com")["attributes"]["created_at"][:10] for number in range(3)]
    assert found == ["2022-12-31", "2024-01-05", "2024-01-05"]
    import_file("email\nAnn <ann@example.com>\nmailto:bob@example.com\n'cy@example.com';\n")
    assert all(client.find(f"{name}@example.com") for name in ("ann", "bob", "cy"))


def test_the_table_of_columns_has_every_column():
    table = PAGE.partition("| Column | Meaning |\n|---|---|\n")[2].partition("| any other name")[0]
    named = {name for line in table.splitlines() for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert named == {*MEANINGS, *IGNORED} - {"", "ignore"}


def test_the_call_of_the_page_answers(tmp_path):
    [line] = re.findall(r"^    (audience api .*)$", PAGE, re.MULTILINE)
    (tmp_path / "people.csv").write_text("email\nann@example.com\n")
    with serving(tmp_path / "instance") as service:
        variables = environment(tmp_path / "instance", service.port)
        variables["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), variables["PATH"]])
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=tmp_path,
            env=variables,
            capture_output=True,
            timeout=PATIENCE_SECONDS,
        )
        assert json.loads(done.stdout)["data"]["attributes"]["total"] == 1
        until(lambda: service.call("GET", "/stats/site")[1]["user_count"] == 1)
