"""Addresses and tags as files of other programs write them."""

import json

import pytest

from tests.api.sent_files import LINES, errors, import_file, send

TWO = "The cell has two addresses: keep one, and put the other into a separate row."


@pytest.mark.parametrize(
    "cell",
    [
        '"=""ann@example.com"""',
        "ann@example.com;",
        "Ann Berg <ann@example.com>;",
        "\u201cann@example.com\u201d",
        "ann\uff20example.com",
        "ann@\uff45\uff58\uff41\uff4d\uff50\uff4c\uff45.com",
        "ann@example.com.",
        "mailto:ann@example.com?cc=bob@example.com",
        '"""ann@example.com"", "',
        "ann@example.com <ann@example.com>",
    ],
)
def test_an_address_is_stored_as_it_is_written_to(client, cell):
    import_file(client, f"name,email\nAnn,{cell}\n")
    assert client.find("ann@example.com")["attributes"]["email"] == "ann@example.com"


@pytest.mark.parametrize(
    "cell",
    [
        "ann@example.com; bob@example.com",
        "Ann <ann@example.com>, Bob <bob@example.com>",
        "ann@example.com / bob@example.com",
        "ann@example.com ::: bob@example.com",
        "ann@example.com bob@example.com",
        "bob@example.com <ann@example.com>",
        "ann\uff20example.com|bob@example.com",
    ],
)
@pytest.mark.parametrize("kind", ["text/csv", LINES])
def test_two_addresses_in_a_cell_are_refused_in_a_sentence_of_their_own(client, cell, kind):
    text = (
        f'name,email\nAnn,"{cell}"\n' if kind != LINES else json.dumps({"name": "Ann", "email": cell}) + "\n"
    )
    import_file(client, text, kind)
    [row] = errors(client)
    assert (row["error_code"], row["error_message"]) == ("invalid_email", TWO)
    assert client.counts() == (0, 0, 0)


@pytest.mark.parametrize(
    "cell", ["ann@example.com (work)", "ann@example,com", "[ann@example.com](mailto:ann@example.com)"]
)
def test_what_surrounds_an_address_otherwise_refuses_the_row(client, cell):
    import_file(client, f'name,email\nAnn,"{cell}"\n')
    assert errors(client)[0]["error_code"] == "invalid_email"


def test_text_that_a_spreadsheet_was_to_leave_alone_is_text(client):
    import_file(client, '"=""email""",zip,plan\nann@example.com,"=""00501""","=A1"\n')
    assert client.find("ann@example.com")["attributes"]["fields"] == {"zip": "00501", "plan": "=A1"}


@pytest.mark.parametrize(
    ("header", "value"), [("state", "ON"), ("active", "yes"), ("stop", "Main Street"), ("status", "inactive")]
)
def test_words_that_are_about_something_else_are_fields(client, header, value):
    import_file(client, f"email,{header}\nann@example.com,{value}\nbob@example.com,{value}\n")
    assert client.counts() == (2, 2, 0)
    assert client.find("ann@example.com")["attributes"]["fields"] == {header: value}


def test_a_command_of_another_program_is_asked_about(client):
    text = "email,Command\nann@example.com,sit\n"
    answer = send(client, text)
    assert [each["about"] for each in answer.json["asks"]] == ["command"]
    import_file(client, text, query={"map[2]": "field:command_of_dog"})
    assert client.find("ann@example.com")["attributes"]["fields"] == {"command_of_dog": "sit"}


SEPARATED = "email,tags\nann@example.com,vip;gold\nbob@example.com,vip|gold\ncy@example.com,gold\n"


def test_tags_without_a_comma_are_asked_about(client):
    (question,) = send(client, SEPARATED).json["asks"]
    assert (question["about"], question["columns"]) == ("tag_separator", ["tags"])
    assert question["options"] == [
        "tag_separator=;",
        "tag_separator=|",
        "tag_separator=;|",
        "tag_separator=,",
    ]
    assert [each["value"] for each in question["values"]] == ["vip;gold", "vip|gold"]


@pytest.mark.parametrize(
    ("separator", "ann", "bob"),
    [
        (";|", ["gold", "vip"], ["gold", "vip"]),
        (";", ["gold", "vip"], ["vip|gold"]),
        (",", ["vip;gold"], ["vip|gold"]),
    ],
)
@pytest.mark.parametrize("kind", ["text/csv", LINES])
def test_tags_are_split_at_what_was_said(client, separator, ann, bob, kind):
    rows = [line.split(",") for line in SEPARATED.splitlines()[1:]]
    lines = "".join(json.dumps({"email": email, "tags": tags}) + "\n" for email, tags in rows)
    import_file(client, SEPARATED if kind != LINES else lines, kind, query={"tag_separator": separator})
    assert (tags(client, "ann"), tags(client, "bob"), tags(client, "cy")) == (ann, bob, ["gold"])


def test_beside_commas_other_marks_are_part_of_a_tag(client):
    import_file(
        client, 'email,tags\nann@example.com,"vip,gold"\nbob@example.com,a;b\ncy@example.com,"[""c|d""]"\n'
    )
    assert (tags(client, "ann"), tags(client, "bob"), tags(client, "cy")) == (
        ["gold", "vip"],
        ["a;b"],
        ["c|d"],
    )


def test_an_export_is_imported_again_whatever_its_tags(client):
    client.create("ann@example.com", tags=["a;b"])
    exported = client.get("/fetch/export", query={"format": "csv"}).text
    import_file(client, exported)
    assert tags(client, "ann") == ["a;b"]


def test_labels_of_google_are_told_apart(client):
    text = "email,tags\nann@example.com,* myContacts ::: Choir\n"
    import_file(client, text, query={"tag_separator": ":::"})
    assert tags(client, "ann") == ["Choir", "myContacts"]


def tags(client, name):
    names = {tag["id"]: tag["attributes"]["name"] for tag in client.get("/fetch/tags").json["data"]}
    found = client.find(f"{name}@example.com")["attributes"]["cached_tag_ids"]
    return sorted(names[tag] for tag in found)
