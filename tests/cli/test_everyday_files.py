"""The files that people import, by both doors: each gives what the table in its README says."""

import csv
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from audience.operations import site_lane
from schemas.file_imports import WORKBOOK

FOLDER = Path(__file__).parents[1] / "schemas" / "data" / "everyday_files"
TABLE = (FOLDER / "README.md").read_text("utf-8").partition("|---|---|---|\n")[2]
LISTED = [name for row in TABLE.splitlines() for name in re.findall(r"`(\S+\.\w+)`", row.split("|")[1])]
LEFT = object()  # unsubscribed, at any instant


@dataclass
class Wanted:
    """People by address with what must be so (None: must be absent), codes of refused rows by number, or the
    `error` of the whole file, what is `found`, and the ways `out`, which bring `people` in.
    The `answer` says who may be written to."""

    people: dict[str, dict[str, Any]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    error: str = ""
    found: dict[str, list[str]] = field(default_factory=dict)
    out: list[str] = field(default_factory=list)
    exit_code: int = 1
    answer: list[str] = field(default_factory=lambda: ["--consent", "subscribed"])


def answer(file):
    """Options that say who in a file may be written to; an export of ours says so itself."""
    return CASES[file.name].answer if file.name in CASES else []


CASES = {
    "listmonk.csv": Wanted({
        "eve@example.org": {
            "first_name": "Eve", "last_name": None, "city": "Bern", "age": 33, "status": None, "uuid": None,
            "unsubscribed_at": None, "created_at": "2022-01-01T10:00:00.123Z",
        },
        "fred@example.org": {"unsubscribed_at": LEFT, "created_at": "2022-01-01T10:00:00.000Z"},
    }, answer=["--subscribed", "enabled"]),
    "mailchimp_subscribed.csv": Wanted(
        {
            "ann@gmail-example.com": {
                "first_name": "Ann", "last_name": "O'Brien", "tags": ["newsletter 2023", "vip"], "LEID": None,
                "EUID": None, "GMTOFF": None, "DSTOFF": None, "unsubscribed_at": None, "Address": "1 Main St",
                "created_at": "2021-03-04T10:11:12.000Z",
            },
            "Bob@Example.org": {"last_name": "Müller", "created_at": "2022-05-06T07:08:09.000Z"},
        },
        {"4": "invalid_email"},
    ),
    "mailchimp_unsubscribed.csv": Wanted(
        {"ann@gmail-example.com": {"unsubscribed_at": "2024-02-03T04:05:06.000Z"}}, answer=[]
    ),
    "ghost.csv": Wanted({
        "cara@example.org": {
            "first_name": "Cara", "last_name": "Jones", "tags": ["Beta", "VIP"], "unsubscribed_at": None,
            "created_at": "2021-08-30T10:00:00.000Z",
        },
        "dan@example.org": {"tags": [], "unsubscribed_at": LEFT},
    }, answer=[]),
    "status.csv": Wanted({
        "sa@example.org": {
            "unsubscribed_at": LEFT, "created_at": "2023-02-01T00:00:00.000Z", "date_joined": "01/02/2023",
        },
        "ta@example.org": {
            "unsubscribed_at": None, "created_at": "2022-12-31T00:00:00.000Z", "date_joined": "31/12/2022",
        },
    }, answer=["--consent-column", "unsubscribed", "--unsubscribed", "true", "--subscribed", ""]),
    "dup.csv": Wanted(
        {"jo@example.org": {"plan": "a"}},
        error="`plan (2)`, `plan (3)`",
        found={"columns": ["plan (2)", "plan (3)"]},
        out=["--map", "3=ignore"],
    ),
    "dup2.csv": Wanted(
        {"jo@example.org": {"plan": "b", "Email": None}},
        error="`email (1)`, `Email (2)`",
        found={"columns": ["email (1)", "Email (2)"]},
        out=["--map", "2=ignore"],
    ),
    "noheader.csv": Wanted(
        {"jo@example.org": {"first_name": None}, "ka@example.org": {}},
        error="it seems to be a subscriber, not a header: give `--no-header",
        exit_code=2,
        out=["--no-header", "--map", "1=email"],
    ),
    "semicolon_latin1.csv": Wanted(
        {"hans@example.org": {"first_name": "Hans", "ort": "Köln"}},
        {"3": "invalid_email"},
        answer=["--consent", "subscribed", "--encoding", "cp1252"],
    ),
    "mac.csv": Wanted({"va@example.org": {"plan": "pro"}, "wa@example.org": {"plan": "free"}}),
    "ragged.csv": Wanted({"na@example.org": {"plan": None}}, {"2": "ragged_row"}),
    "blanklines.csv": Wanted({"lou@example.org": {"plan": "pro"}}, {"6": "missing_email"}),
    "headeronly.csv": Wanted(),
    "empty.csv": Wanted(error="The file is empty"),
    "nul.csv": Wanted({}, {"2": "invalid_text"}),
    "unclosed.csv": Wanted(error="line 2"),
    "noemail.csv": Wanted({"jo@example.org": {"first_name": "jo"}}),
    "quoted_names.csv": Wanted({
        "xa@example.org": {"first_name": "Xa"}, "ya@example.org": {}, "za@example.org": {"first_name": "Za"},
    }),
    "pipe.csv": Wanted({"ra@example.org": {"plan": "pro"}}),
    "excel_sep.csv": Wanted({
        "gabi@example.org": {"first_name": "Gabi", "last_name": "Groß", "Plan": "pro"},
    }),
    "utf16.csv": Wanted({"igor@example.org": {"first_name": "Игорь"}}),
    "workbook.xlsx": Wanted({
        "hedi@example.org": {"first_name": "Hedi", "Plan": "pro", "Seats": 3, "Joined": "2024-05-06"},
        "ivo@example.org": {"Plan": None, "Seats": 1.5},
    }),
}  # fmt: skip


def test_every_file_has_a_case():
    assert sorted(LISTED) == sorted(CASES)
    assert sorted(CASES) == sorted(path.name for path in FOLDER.iterdir() if path.suffix != ".md")


def parameters(options):
    """The query that says the same as options of the command line."""
    query: dict[str, Any] = {}
    words = iter(options)
    for word in words:
        if word == "--no-header":
            query["header"] = "0"
        else:
            name, value = word.removeprefix("--"), next(words)
            column, _, what = value.rpartition("=")
            query |= {f"map[{column}]": what} if name == "map" else {name.replace("-", "_"): value}
    return query


@pytest.fixture
def door(request, run, client, tmp_path):
    """Imports a file; returns its refused rows as (number, code), or the error's text and what it found."""

    def by_http(file, *options):
        content_type = WORKBOOK if file.suffix == ".xlsx" else "text/csv"
        query = parameters([*answer(file), *options])
        response = client.send_file(
            "/batch/imports", file.read_bytes(), content_type=content_type, query=query
        )
        if response.status_code != 200:
            assert response.status_code == 422
            return response.json
        site_lane.drain(client.site.id, 30)
        text = client.get(f"/batch/imports/{response.json['data']['id']}/errors.csv").text
        return {
            row["row_number"]: row["error_code"] for row in csv.DictReader(text.splitlines(keepends=True))
        }

    def by_command(file, *options):
        refused = tmp_path / "refused.csv"
        said = (*answer(file), *options)
        words = ("import", file, "--site", client.site.uuid, "--refused", refused, *said)
        wanted = CASES.get(file.name, Wanted())
        exit_code = wanted.exit_code if wanted.error and not options else 0
        output = run(*words, asked=True, exit_code=exit_code or 3 * bool(wanted.refused))
        if exit_code:
            return output
        if not refused.exists():
            return {}
        with refused.open(newline="") as rows:
            return {row["row_number"]: row["error_code"] for row in csv.DictReader(rows)}

    return {"http": by_http, "command": by_command}[request.param]


@pytest.mark.parametrize("door", ["http", "command"], indirect=True)
@pytest.mark.parametrize("name", CASES)
def test_an_everyday_file_gives_what_its_table_says(door, client, name):
    wanted, file = CASES[name], FOLDER / name
    outcome = door(file)
    if wanted.error:
        assert_refused(outcome, wanted)
        assert client.counts() == (0, 0, 0)
        if not wanted.out:
            return
        outcome = door(file, *wanted.out)
    assert outcome == wanted.refused
    assert client.counts()[0] == len(wanted.people)
    for email, values in wanted.people.items():
        assert_person(client, email, values)


@pytest.mark.parametrize("door", ["http", "command"], indirect=True)
def test_our_own_export_gives_the_same_people(door, client, other_client, tmp_path):
    fields = {"status": "unsubscribed", "subscribed": "no", "opt_out": True, "name": "x", "labels": "a"}
    for name in ("ann", "bob"):
        other_client.create(f"{name}@example.com", first_name=name, tags=["a, b", "vip"], fields=fields)
    other_client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "bob@example.com"}})
    file = tmp_path / "export.csv"
    file.write_bytes(other_client.get("/fetch/export").data)
    assert door(file) == {}
    for name in ("ann", "bob"):
        theirs = other_client.find(f"{name}@example.com")["attributes"]
        kept = {key: theirs[key] for key in ("first_name", "fields", "created_at", "unsubscribed_at")}
        assert_person(client, f"{name}@example.com", kept | {"tags": ["a, b", "vip"]})


def assert_refused(outcome, wanted):
    if isinstance(outcome, str):
        assert wanted.error in outcome
        assert shlex.join(wanted.out) in outcome
        return
    assert {name: outcome[name] for name in wanted.found} == wanted.found
    message = outcome["errors"][0]["message"]
    assert not any(each in message for each in wanted.found.get("columns", ()) if "@" in each)


def assert_person(client, email, wanted):
    person = client.find(email)["attributes"]
    names = {tag["id"]: tag["attributes"]["name"] for tag in client.get("/fetch/tags").json["data"]}
    known = person["fields"] | person | {"tags": sorted(names[each] for each in person["cached_tag_ids"])}
    for name, value in wanted.items():
        if value is LEFT:
            assert known[name] is not None
        elif name == "uuid":
            assert "uuid" not in person["fields"]
        else:
            assert known.get(name) == value, (email, name)
