"""Pages of the documentation show the tables of the code."""

from dataclasses import fields
from pathlib import Path

import click
import html5lib
import pytest

from audience.answers.moderation.reasons import ModerationReason
from audience.answers.validation.reasons import ValidationReason
from audience.api.doc_tables import TABLES
from audience.cli.main import audience
from audience.config import Settings
from audience.reports.report_types import TYPES
from audience.segments.subjects import OPERATORS, SUBJECTS
from audience.telemetry import GAUGES, METRICS
from schemas.codes import REQUEST_CODES, VALUE_CODES

DOCS = Path(__file__).parents[2] / "docs"
HEADS = {
    "settings": [["Setting", "Default", "Meaning"]],
    "answers": [
        ["Code", "Weight", "Invalid by itself", "Meaning", "What to do"],
        ["Code", "Invalid by itself", "Meaning", "What to do"],
    ],
    "errors": [["Code", "Status", "What to do"], ["Code", "What to do"]],
    "health": [["Name", "By", "Counts"]],
    "segments": [
        ["Rule", "Holds when"],
        ["Subject", "Is", "Operators", "Example"],
        ["Operator", "Takes", "Meaning"],
    ],
    "commands": [["Command", "Subcommands", "Does"]],
    "reports": [["Type", "Counts", "Settings", "Chart styles"]],
}
SETTINGS = {
    "AUDIENCE_PORT": ["8000", "port to listen on"],
    "AUDIENCE_INSTANCE": ["instance", "folder for the database, secrets and sockets"],
    "AUDIENCE_PEPPER_FILE": ["", "file with the pepper; empty: INSTANCE/pepper"],
    "AUDIENCE_REQUIRE_TWO_FACTOR": [
        "false",
        Settings.__dataclass_fields__["require_two_factor"].metadata["meaning"],
    ],
    "AUDIENCE_DNS_CANARY_ZONES": [
        "gmail.com, yahoo.com",
        "unsigned zones in which random names are looked up to check the DNS servers",
    ],
}
JUDGED = {
    "allowed": ["", "decides before every rule"],
    "syntax": ["1", "always"],
    "role_address": ["0.2", "strict, unless wiggleroom"],
    "free_provider": ["0.1", "strict, with block_free_providers"],
    "ip_malformed": ["", "retired"],
    "ip_list": ["0", "never"],
}


def tables(app, page):
    """The rows of each table of a page, by their first cell; its head under `""`."""
    tree = html5lib.parse(app.test_client().get(f"/docs/{page}").text, namespaceHTMLElements=False)
    return [
        [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
        for table in tree.iter("table")
    ]


@pytest.mark.parametrize("page", HEADS)
def test_a_page_has_its_tables(app, page):
    heads = [table[0] for table in tables(app, page)]
    assert [head for head in heads if head in HEADS[page]] == HEADS[page]


def rows(app, page, at):
    return {
        name: cells
        for table in tables(app, page)
        if table[0] == HEADS[page][at]
        for name, *cells in table[1:]
    }


def test_every_setting_is_shown_with_its_default(app):
    shown = rows(app, "settings", 0)
    assert [*shown] == [f"AUDIENCE_{each.name.upper()}" for each in fields(Settings)]
    assert {name: shown[name] for name in SETTINGS} == SETTINGS


def test_every_reason_is_shown_with_what_it_decides_and_what_to_do(app):
    shown = rows(app, "answers", 0)
    assert {name: shown[name][:2] for name in JUDGED} == JUDGED
    assert {name: cells[2:] for name, cells in shown.items()} == texts(ValidationReason)
    shown = rows(app, "answers", 1)
    assert {name: cells[1:] for name, cells in shown.items()} == texts(ModerationReason)
    assert (shown["xss"][0], shown["html"][0]) == ("yes", "no")


def texts(reasons):
    return {reason.value: [plain(reason.meaning), plain(reason.advice)] for reason in reasons}


def plain(markdown):
    return markdown.replace("`", "")


def test_every_code_is_shown_with_its_status_and_its_remedy(app):
    requests = {code: [str(status), plain(remedy)] for code, (status, remedy) in REQUEST_CODES.items()}
    assert rows(app, "errors", 0) == requests
    assert rows(app, "errors", 1) == {code: [plain(remedy)] for code, remedy in VALUE_CODES.items()}


def test_every_metric_is_shown_with_its_labels(app):
    shown = rows(app, "health", 0)
    assert shown["audience_requests_total"] == ["method, route, status", "Requests answered."]
    assert shown["audience_mail_seconds"] == ["", "Time to hand over an email."]
    assert shown["audience_imports_waiting"] == ["", "Unfinished imports."]
    assert len(shown) == len(METRICS) + len(GAUGES)


def test_every_part_of_a_rule_is_shown(app):
    groups, subjects, operators = (rows(app, "segments", at) for at in range(3))
    assert [*groups] == ['{"all": [rules]}', '{"any": [rules]}', '{"not": rule}']
    assert subjects["status"] == ["subscribed or unsubscribed", "is, is_not", '{"status": "subscribed"}']
    assert operators["days_ago"] == ["day", "on the calendar day that many days ago; 0 is today"]
    assert ([*subjects], [*operators]) == ([*SUBJECTS], [*OPERATORS])


def test_every_type_of_reports_is_shown(app):
    shown = rows(app, "reports", 0)
    assert shown["LeavingReport"] == [
        "unsubscribes by reason and source",
        "limit",
        "column_chart, line_chart, area_chart",
    ]
    assert shown["Reporting::Reports::VisitorsByFieldReport"][1] == "field (needed), limit"
    assert [*shown] == [*TYPES]


def test_every_command_is_shown_with_its_subcommands(app):
    shown = rows(app, "commands", 0)
    assert [*shown] == [f"audience {name}" for name in audience.list_commands(click.Context(audience))]
    assert shown["audience jobs"] == [
        "list, retry",
        "List failed background jobs, or retry one.",
    ]
    assert "links rotate, list, lists" in shown["audience site"][0]
    assert shown["audience serve"][0] == ""


def test_each_table_has_its_marks_in_one_page():
    pages = [page.read_text("utf-8") for page in DOCS.rglob("*.md")]
    for name in TABLES:
        assert [page.count(f"<!-- {name} -->") for page in pages if f"<!-- /{name} -->" in page] == [1]
