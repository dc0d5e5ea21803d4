"""The refused rows of `audience import` are corrected and imported again, as the file was."""

import csv
import json
import re
import shlex

import pytest

from audience.operations import site_lane
from tests.cli.outcomes import counts

CORRECTIONS = {"nobody": "dan@example.com", "never": "subscribe"}


def test_refused_rows_can_be_corrected_and_imported_again(import_file, client, tmp_path):
    text = (
        'email;note;command;n\nann@example.com;fine;subscribe;1\nnobody;"=1+1; ""a""\nb";;-2\n'
        "cy@example.com;'=x;never;3\nragged@example.com;a;;4;5\n"
    )
    outcome = import_file(text, "--map", "command=command")
    assert counts(outcome) == [1, 0, 0, 3, 0]
    refused = tmp_path / "people.refused.csv"
    assert outcome["refused_file"] == str(refused)
    with refused.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["row_number"] for row in rows] == ["3", "4", "5"]
    assert [row["error_code"] for row in rows] == ["invalid_email", "invalid_command", "ragged_row"]
    assert rows[0]["note"] == '\'=1+1; "a"\nb'
    corrected = refused.read_text()
    for wrong, right in CORRECTIONS.items():
        corrected = corrected.replace(wrong, right, 1)
    outcome = import_file(corrected, name="corrected.csv")
    assert counts(outcome) == [2, 0, 0, 1, 0]
    dan, cy = (client.find(f"{name}@example.com")["attributes"] for name in ("dan", "cy"))
    assert dan["fields"] == {"note": '=1+1; "a"\nb', "n": -2}
    assert cy["fields"] == {"note": "=x", "n": 3}
    keys = {field["attributes"]["key"] for field in client.get("/fetch/fields").json["data"]}
    assert keys == {"note", "n"}


def test_refused_objects_can_be_corrected_and_imported_again(import_file, client, tmp_path):
    import_file('{"email": "nobody", "tags": ["a"], "n": {"m": 1}}\nrubbish\n', name="people.jsonl")
    lines = (tmp_path / "people.refused.jsonl").read_text().splitlines()
    assert [json.loads(line)["error_code"] for line in lines] == ["invalid_email", "invalid_json"]
    import_file(lines[0].replace("nobody", "ann@example.com"), name="corrected.jsonl")
    assert client.find("ann@example.com")["attributes"]["fields"] == {"n": {"m": 1}}


def test_corrected_rows_of_those_who_left_are_imported_as_such(run, client, tmp_path):
    """The command names the options that the file of refused rows needs, so that nobody comes back by it."""
    file = tmp_path / "left people.csv"
    file.write_text("Mail,joined\nann@example.com,\nbob@,\n")
    options: tuple[str, ...] = (
        "--map",
        "Mail=email",
        "--tag",
        "old list",
        "--consent",
        "unsubscribed",
        "--dates",
        "dmy",
    )
    options = (*options, "--known", "fill")
    output = run("import", file, "--site", client.site.uuid, *options, exit_code=3)
    said = re.search(r"correct that file and import it with (.*)\.\n", output)
    assert said
    pairs = list(zip(options[::2], options[1::2], strict=True))
    words = shlex.split(said[1])
    assert sorted(zip(words[::2], words[1::2], strict=True)) == sorted(pairs)
    refused = tmp_path / "left people.refused.csv"
    refused.write_text(refused.read_text().replace("bob@,", "bob@example.com,"))
    run("import", refused, "--site", client.site.uuid, *shlex.split(said[1]))
    assert client.counts() == (2, 0, 2)


def test_refused_rows_need_only_the_answer_if_the_file_had_no_more(run, client, tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("email\nbob@\n")
    output = run("import", file, "--site", client.site.uuid, exit_code=3)
    assert "correct that file and import it with --consent subscribed.\n" in output


def test_corrected_rows_of_a_file_without_a_header_are_imported_as_it_was(run, client, tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("bob@,Bob,x\n")
    options = ("--map", "1=email", "--map", "2=first_name", "--no-header")
    output = run("import", file, "--site", client.site.uuid, *options, exit_code=3)
    said = re.search(r"correct that file and import it with (.*)\.\n", output)
    assert said
    refused = tmp_path / "people.refused.csv"
    refused.write_text(refused.read_text().replace("bob@,", "bob@example.com,"))
    run("import", refused, "--site", client.site.uuid, *shlex.split(said[1]))
    assert client.find("bob@example.com")["attributes"]["fields"] == {"first_name": "Bob"}


@pytest.mark.parametrize("options", [(), ("--refused", "REFUSED")])
def test_a_file_of_refused_rows_that_may_be_corrected_is_never_overwritten(run, client, tmp_path, options):
    file, refused = tmp_path / "people.csv", tmp_path / "people.refused.csv"
    file.write_text("email,n\nnobody,1\n")
    words = ("import", file, "--site", client.site.uuid, "--json", "--allow-refused")
    options = [each.replace("REFUSED", str(refused)) for each in options]
    assert run(*words, *options)["refused_file"] == str(refused)
    refused.write_text("corrected")
    for number in (2, 3):
        file.write_text(f"email,n\nnobody,{number}\n")
        again = tmp_path / f"people.refused.{number}.csv"
        assert run(*words, *options)["refused_file"] == str(again)
        assert f"nobody,{number}," in again.read_text()
    assert refused.read_text() == "corrected"


def test_an_import_that_was_applied_meanwhile_names_the_file_with_its_refused_rows(
    import_file, client, tmp_path, monkeypatch
):
    def interrupt(*_):
        raise KeyboardInterrupt

    (tmp_path / "people.refused.csv").write_text("corrected")
    with monkeypatch.context() as interrupted:
        interrupted.setattr(site_lane, "drain", interrupt)
        import_file("email\nnobody\nann@example.com\n", exit_code=1)
    outcome = import_file("email\nnobody\nann@example.com\n")
    assert outcome["refused_file"] == str(tmp_path / "people.refused.2.csv")
    assert sorted(path.name for path in tmp_path.glob("*.refused*")) == [
        "people.refused.2.csv", "people.refused.csv",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "header",
    ["email,n", "email,status", "email,unsubscribed,Status", "E-Mail,state", "email,tags"],
)
def test_the_file_of_refused_rows_itself_says_that_everyone_has_left(run, client, tmp_path, header):
    file, refused = tmp_path / "left.csv", tmp_path / "left.refused.csv"
    file.write_text(f"{header}\nnobody\nragged@example.com,,,,x\n")
    words = ("import", file, "--site", client.site.uuid, "--consent", "unsubscribed", "--tag", "a, b")
    run(*words, "--tag", "old", exit_code=3)
    with refused.open(newline="") as rows:
        head, row, _ = csv.reader(rows)
    row[0] = "ann@example.com"
    with refused.open("w", newline="") as rows:
        csv.writer(rows).writerows([head, row])
    run("import", refused, "--site", client.site.uuid)
    assert client.counts() == (1, 0, 1)
    tags = {tag["attributes"]["name"] for tag in client.get("/fetch/tags").json["data"]}
    assert tags == (set() if "tags" in header else {"a, b", "old"})
    assert client.find("ann@example.com")["attributes"]["fields"] == {}


def test_refused_objects_themselves_say_that_everyone_has_left(run, client, tmp_path):
    file, refused = tmp_path / "left.jsonl", tmp_path / "left.refused.jsonl"
    file.write_text('{"email": "nobody", "status": "subscribed"}\nrubbish\n')
    words = ("import", file, "--site", client.site.uuid, "--consent", "unsubscribed", "--tag", "old")
    run(*words, exit_code=3)
    refused.write_text(refused.read_text().splitlines()[0].replace("nobody", "ann@example.com"))
    run("import", refused, "--site", client.site.uuid)
    assert client.counts() == (1, 0, 1)
    assert len(client.find("ann@example.com")["attributes"]["cached_tag_ids"]) == 1
