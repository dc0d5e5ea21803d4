"""`audience import`: dialects, dry runs, refused rows, what is said of them."""

import json

import pytest

from tests.cli.outcomes import counts


def test_a_csv_file_is_applied_when_the_command_returns(import_file, client):
    outcome = import_file("email,first_name,plan\nann@example.com,Ann,pro\nnobody,,\n")
    assert (outcome["status"], counts(outcome)) == ("finished", [1, 0, 0, 1, 0])
    assert client.find("ann@example.com")["attributes"]["fields"] == {"plan": "pro", "first_name": "Ann"}
    assert client.get(f"/batch/imports/{outcome['import_id']}").json["data"]["attributes"]["total"] == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("people.csv", "plan;Email\npro;ann@example.com\n"),
        ("people.tsv", "plan\tEmail\npro\tann@example.com\n"),
        ("people.json", ' [{"email": "ann@example.com", "plan": "pro"}]'),
        ("people.jsonl", '{"email": "ann@example.com", "plan": "pro"}'),
        ("people", '{"email": "ann@example.com", "plan": "pro"}'),
        ("people.txt", "plan;Email\npro;ann@example.com\n"),
    ],
)
def test_the_format_of_a_file_is_detected(import_file, client, name, text):
    assert import_file(text, name=name)["created"] == 1
    assert client.find("ann@example.com")["attributes"]["fields"]["plan"] == "pro"


def test_the_detected_dialect_is_printed(run, client, tmp_path):
    file = tmp_path / "people.csv"
    file.write_bytes("E-Mail;Name\nann@example.com;Zoë\n".encode("latin-1"))
    output = run(
        "import", file, "--site", client.site.uuid, "--map", "E-Mail=email", "--map", "name=first_name",
        "--encoding", "cp1252",
    )  # fmt: skip
    assert "people.csv: csv, cp1252, delimiter ;, columns E-Mail, Name" in output
    assert "created 1, updated 0, unchanged 0, refused 0, suppressed 0" in output
    assert client.find("ann@example.com")["attributes"]["first_name"] == "Zoë"


def test_a_large_json_array_is_read_in_chunks(import_file, client):
    rows = [{"email": f"subscriber{each}@example.com", "note": "[]{}," * 30} for each in range(1500)]
    assert import_file(json.dumps(rows, indent=1), name="people.json")["created"] == 1500


def test_a_dry_run_counts_and_writes_nothing(import_file, client, tmp_path):
    client.create("ann@example.com", plan="pro")
    client.create("bob@example.com", plan="pro")
    client.create("gone@example.com")
    client.delete("/fetch/subscribers", query={"email": "gone@example.com"})
    rows = "ann@example.com,pro\nbob@example.com,free\ngone@example.com,\nnobody,\n"
    rows += "".join(f"new{each % 1200}@example.com,{each}\n" for each in range(2400))
    outcome = import_file("email,plan\n" + rows, "--dry-run")
    assert counts(outcome) == [1200, 1201, 1, 1, 1]
    assert client.counts()[0] == 2
    assert client.get("/batch/imports").json == {"data": []}
    assert client.find("bob@example.com")["attributes"]["fields"] == {"plan": "pro"}
    assert not list(tmp_path.glob("*.refused.*"))
    assert counts(import_file("email,plan\n" + rows)) == counts(outcome)


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("name\nann\n", (), "No column holds addresses: give `--map COLUMN=email`. Found: `name`."),
        ("", (), "empty"),
        ("[1, 2", (), "not a JSON array"),
        (
            "email\nann@example.com\n",
            ("--map", "mail=email"),
            "use a header, or the number of a column, from 1. Found: `email`.",
        ),
        ("email\nann@example.com\n", ("--map", "mail"), "COLUMN=WHAT"),
    ],
)
def test_an_unreadable_file_is_refused_and_leaves_nothing(import_file, client, text, options, sentence):
    name = "people.json" if text.startswith("[") else "people.csv"
    code = 2 if options == ("--map", "mail") or text.startswith("name") else 1
    assert sentence in import_file(text, *options, name=name, exit_code=code)
    assert client.get("/batch/imports").json == {"data": []}


@pytest.fixture
def type_import(run, client, tmp_path):
    """Imports a file with this text; returns what is printed."""

    def invoke(text, *options, name="people.csv", **more):
        file = tmp_path / name
        file.write_text(text)
        return run("import", file, "--site", client.site.uuid, *options, **more)

    return invoke


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_the_exit_status_says_whether_all_rows_are_in(type_import, client, dry):
    type_import("email\nann@example.com\n", *dry)
    type_import("email\nann@example.com\nnobody\n", *dry, exit_code=3)
    type_import("email\nann@example.com\nnobody\n", *dry, "--allow-refused")
    type_import("name\nann\n", *dry, exit_code=2)
    type_import("email\n", *dry, "--consent", "perhaps", exit_code=2)
    client.create("gone@example.com")
    client.delete("/fetch/subscribers", query={"email": "gone@example.com"})
    type_import("email\ngone@example.com\n", *dry, exit_code=3)


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        (
            "email,x\na@b.co,a\nb@b.co,Unsubscribed\n",
            (),
            "Row 3 of a column says that somebody has unsubscribed. Give `--consent-column 2` with",
        ),
        ("email,x\na@b.co,a\n", ("--map", "x=status"), "give `--consent-column COLUMN`, with `--subscribed"),
        ("email,x\na@b.co,a\n", ("--consent-column", "y"), "`--consent-column` names no column of the file"),
        ("email,plan\na@b.co,x\n", ("--map", "plan=color"), "Write `--map COLUMN=WHAT` with one of email,"),
        (
            "email,plan\na@b.co,x\n",
            ("--map", "plan=email"),
            "leave one out with `--map 2=ignore`. Found: `email (1)`, `plan (2)`.",
        ),
    ],
)
def test_the_command_names_what_it_found(type_import, text, options, sentence):
    output = type_import(text, *options, exit_code=1)
    assert sentence in output
    assert "map[" not in output


def test_a_question_ends_the_command_with_2_until_it_is_answered(type_import, client):
    text = "email,created_at\na@b.co,01/02/2023\n"
    output = type_import(text, exit_code=2)
    assert "may begin with the day or with the month" in output
    assert "(the first in row 2, 1 in all): give `--dates dmy` or `--dates mdy`." in output
    assert "Found in `created_at`: `01/02/2023` (1)." in output
    assert "map[" not in output
    assert client.counts() == (0, 0, 0)
    type_import(text, "--dates", "dmy")
    assert client.counts() == (1, 1, 0)


@pytest.mark.parametrize(
    "name",
    [
        "cleaned_email_audience_export_1.csv",
        "Nonsubscribed_members_export_1.csv",
        "Copy of cleaned_members_export_1.csv",
    ],
)
def test_nobody_has_agreed_in_a_file_that_mailchimp_names_so(type_import, client, name):
    text = "Email Address\nann@example.com\n"
    assert "--consent unsubscribed" in type_import(text, name=name, exit_code=1)
    assert client.counts() == (0, 0, 0)
    type_import(text, "--consent", "unsubscribed", name=name)
    assert client.counts() == (1, 0, 1)


def test_options_reach_the_import(type_import, client):
    type_import(
        "ann@example.com,Bern,01/02/2023\n", "--no-header", "--map", "1=email", "--map", "2=field:city",
        "--map", "3=created_at", "--dates", "dmy", "--tag", "old, list", "--tag", "vip",
    )  # fmt: skip
    ann = client.find("ann@example.com")["attributes"]
    assert (ann["fields"], ann["created_at"][:10]) == ({"city": "Bern"}, "2023-02-01")
    assert {tag["attributes"]["name"] for tag in client.get("/fetch/tags").json["data"]} == {
        "old, list",
        "vip",
    }
    dry = type_import("email,city\nann@example.com,Rome\n", "--known", "skip", "--dry-run")
    assert "created 0, updated 0, unchanged 1, " in dry
    type_import("email,city\nann@example.com,Rome\n", "--known", "skip")
    assert client.find("ann@example.com")["attributes"]["fields"] == {"city": "Bern"}


def test_a_dry_run_shows_each_column_and_the_first_rows(type_import, client):
    rows = "".join(f"p{each}@example.com,Pat,active,x\n" for each in range(30))
    answer = ("--consent-column", "status", "--subscribed", "active", "--unsubscribed", "bounced")
    text = f"E-Mail,Vorname,status,color\nann@example.com,,bounced,red\n{rows}"
    output = type_import(text, "--dry-run", *answer)
    assert "Column 1, E-Mail: email. Recognised by the name of the column." in output
    assert "Column 3, status: consent. You said so." in output
    assert (
        "Column 4, color: field:color. The name is not known, so the column becomes a custom field." in output
    )
    assert 'Row 2: created: {"email":"ann@example.com",' in output
    assert '"status":"unsubscribed"' in output
    assert '"status":"subscribed"' in output
    assert output.count("\nRow ") == 20
    assert "created 31, updated 0, unchanged 0, refused 0, suppressed 0, unsubscribed 1." in output
    assert client.counts() == (0, 0, 0)


def test_progress_is_shown_in_plain_lines(run, client, tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("email\n" + "".join(f"person{each}@example.com\nnobody{each}\n" for each in range(5_000)))
    output = run("import", file, "--site", client.site.uuid, exit_code=3)
    assert "Reading: 20%" in output
    assert "Applying: 100%" in output
    assert "The refused rows are in" in output


def test_the_command_ends_with_the_counts_of_the_site(run, client, tmp_path):
    client.create("ann@example.com")
    file = tmp_path / "people.csv"
    file.write_text("email,status\nbob@example.com,active\ncy@example.com,unsubscribed\n")
    answer = ("--consent-column", "status", "--subscribed", "active", "--unsubscribed", "unsubscribed")
    output = run("import", file, "--site", client.site.uuid, *answer)
    assert output.endswith("The site now has user_count 3, subscriber_count 2, unsubscriber_count 1.\n")


def test_suppressed_rows_are_explained(run, client, tmp_path):
    client.create("ann@example.com")
    run("subscriber", "erase", "ann@example.com", "--site", client.site.uuid, "--yes")
    file = tmp_path / "people.csv"
    file.write_text("email\nann@example.com\n")
    for options in (("--dry-run",), ()):
        output = run("import", file, "--site", client.site.uuid, *options, exit_code=3)
        assert "Suppressed rows belong to people who were erased here. These rows are not imported." in output
