"""What `audience import` says of a file, and how it speaks: as a command, not as an API."""

import gzip

import pytest


@pytest.fixture
def said(run, client, tmp_path):
    """What the command says of a file with this text."""

    def invoke(text, *options, exit_code=0, name="people.csv"):
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return run("import", file, "--site", client.site.uuid, *options, exit_code=exit_code)

    return invoke


@pytest.mark.parametrize(
    "page",
    [
        "<!DOCTYPE html>\n<html><title>Sign in</title></html>\n",
        "\n  <html lang='en'>\n<form action='/login'>email,password</form></html>\n",
        "\ufeff<!-- page --><html></html>",
    ],
)
@pytest.mark.parametrize("name", ["people.csv", "people.jsonl", "people"])
def test_a_page_that_was_saved_as_a_table_is_called_one(said, page, name):
    answer = said(page, exit_code=1, name=name)
    assert "The file is a web page, not a table" in answer
    assert "sign in" in answer.lower()


def test_an_address_in_angle_brackets_is_no_page(said):
    assert "created 1" in said("<ann@example.com>,Ann\n", "--no-header", "--map", "1=email")


def test_a_cell_that_is_no_date_is_asked_about_with_its_column_and_row(said):
    text = "email,plan,Joined On\nann@example.com,pro,2020-01-01\nbob@example.com,pro,soon\n"
    answer = said(text, "--map", "Joined On=created_at", "--dry-run", exit_code=2)
    assert "(the first in row 3, 1 in all)" in answer
    assert "Found in `Joined On`: `soon` (1)." in answer
    assert "give `--unread-dates ignore` or `--unread-dates field`" in answer
    answer = said(text, "--map", "Joined On=created_at", "--unread-dates", "field")
    assert "created 2" in answer
    assert "Dates without a time zone are read as UTC." in answer


def test_a_row_without_an_address_says_so(said):
    answer = said("email,plan\nann@example.com,pro\n,pro\n", "--dry-run", exit_code=3)
    assert "Row 3: refused: The row has no address." in answer


def test_a_malformed_address_is_told_as_to_somebody_who_types(said):
    answer = said("email\nann@\n", "--dry-run", exit_code=3)
    assert "Row 2: refused: Give an address of the form" in answer
    assert "Send" not in answer


@pytest.mark.parametrize(("content", "name", "words"), [
    (b"", "people.csv", "The file is empty: it needs a header row, or JSON objects."),
    (gzip.compress(b"email\n", mtime=0), "people.csv.gz", "unpack it first, and import the CSV inside."),
])  # fmt: skip
def test_nobody_who_types_is_asked_to_send(said, content, name, words):
    answer = said(content, name=name, exit_code=1)
    assert words in answer
    assert "send" not in answer.lower()


def test_many_columns_are_listed_to_a_point(said):
    names = [f"c{number}" for number in range(1, 41)]
    answer = said(",".join(["email", *names]) + "\nann@example.com\n")
    assert "columns email, c1, c2," in answer
    assert ", c29 and 11 more\n" in answer
    refused = said(",".join(names) + "\nx\n", exit_code=2)
    assert "`c30` and 10 more.\n" in refused


def test_who_left_and_stays_away_is_counted(said, run, client):
    for email in ("ann@example.com", "bob@example.com"):
        client.create(email)
        run("subscriber", "unsubscribe", email, "--site", client.site.uuid)
    answer = said("email\nann@example.com\nbob@example.com\ncy@example.com\n", "--dry-run")
    assert "People who unsubscribed here stay unsubscribed: 2.\n" in answer
    assert "stays away" not in said("email\ncy@example.com\n", "--dry-run")
    text = "email,unsubscribed\nann@example.com,no\nbob@example.com,\ndee@example.com,yes\n"
    told = ("--subscribed", "no", "--subscribed", "", "--unsubscribed", "yes")
    answer = said(text, "--consent-column", "unsubscribed", *told)
    assert (
        "refused 0, suppressed 0, unsubscribed 1.\nPeople who unsubscribed here stay unsubscribed: 2.\n"
        in answer
    )


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
@pytest.mark.parametrize(
    ("text", "name"),
    [("email,plan\n", "people.csv"), ("email,plan\n,\n\n", "people.csv"), ("[]", "people.json")],
)
def test_a_file_without_people_is_called_one(said, text, name, options):
    assert "The file has no people." in said(text, *options, name=name)
    assert "no people" not in said("email,plan\nann@example.com,pro\n", *options)


def test_the_same_header_between_the_rows_is_called_one(said):
    text = "email,plan\nann@example.com,pro\nEmail, plan\ncy@example.com,pro\n"
    answer = said(text, "--dry-run", exit_code=3)
    assert "Row 3: refused: Row 3 is a header: the file seems to consist of several files" in answer
    assert "Row 4: created" in answer
    assert "is a header" not in said("email,plan\nann@,email\n", "--dry-run", exit_code=3)


@pytest.mark.parametrize(
    "header",
    ["email,plan,CLEAN_TIME", "plan,E-Mail,CLEAN_TIME", "Plan,E-Mail", "email", "\ufeffemail,left_at"],
)
@pytest.mark.parametrize("option", [[], ["--consent", "unsubscribed"]])
def test_a_file_with_a_header_of_other_columns_below_is_refused(said, header, option):
    """The rows below it would be read by the first one: of cleaned people, as subscribed."""
    text = f"email,plan\nann@example.com,pro\n{header}\nbob@example.com,free\n"
    answer = said(text, *option, exit_code=1)
    assert "Row 3 is another header: the file seems to consist of several files." in answer
    assert "user_count" not in answer


@pytest.mark.parametrize("header", ["\ufeffemail,plan", "Email, Plan,,", "\ufeffEmail,plan,"])
def test_the_same_header_of_a_file_put_below_is_a_refused_row(said, header):
    text = f"email,plan,\nann@example.com,pro,\n{header}\nbob@example.com,free,\n"
    assert "Row 4: created" in said(text, "--dry-run", exit_code=3)


@pytest.mark.parametrize("heading", ["Unsubscribed", "Unsubscribed:", "abgemeldet"])
def test_a_heading_of_people_who_left_refuses_the_file(said, heading):
    """As a sheet has it whose people stand below one another: they would come in as those above."""
    text = f"plan,email\npro,ann@example.com\n\n,{heading}\npro,bob@example.com\n"
    answer = said(text, exit_code=1)
    assert "Row 4 looks like a heading" in answer
    assert "user_count" not in answer
    assert "Row 4: refused" in said(text, "--consent", "unsubscribed", "--dry-run", exit_code=3)


@pytest.mark.parametrize("row", ["ann@example.com,pro,email", ",email", "email,ann@example.com", "none,free"])
def test_a_row_that_is_no_header_is_refused_by_itself(said, row):
    answer = said(f"email,contact\nbob@example.com,x\n{row}\n", "--dry-run", exit_code=3)
    assert "refused 1" in answer
    assert "is another header" not in answer


@pytest.mark.parametrize("header", ["email,status", "E-Mail,Zustand"])
def test_a_header_among_the_words_of_consent_is_refused_by_itself(said, header):
    text = f"{header}\nann@example.com,unsubscribed\n\n{header}\nbob@example.com,unsubscribed\n"
    told = ("--consent-column", "2", "--unsubscribed", "unsubscribed", "--dry-run")
    answer = said(text, *told, exit_code=3)
    assert "refused 1" in answer
