"""A quote that is closed late: a cell with whole rows in it."""

import pytest

from tests.api.sent_files import ask, import_file
from tests.response_assertions import error

AGREED = {"consent": "subscribed"}
HEADER = "email,name,plan\n"


@pytest.mark.parametrize(
    "rows",
    [
        'ann@example.com,"Ann,a\nbob@example.com,Bob,b\ncy@example.com,Cy",c\n',
        'ann@example.com,Ann,"a\r\nbob@example.com,Bob,b\r\ncy@example.com,Cy,"\r\n',
        '"ann@example.com,Ann,a\nbob@example.com,Bob,b"\n',
        'ann@example.com,"Ann,a\n<bob@example.com>,Bob,b,\n",c\n',
    ],
)
def test_a_cell_with_whole_rows_refuses_the_file_and_names_its_row(client, rows):
    for query in ({}, AGREED, AGREED | {"dry_run": "1"}):
        [(field, message)] = error(ask(client, HEADER + "zoe@example.com,Zoe,z\n" + rows, query=query), 422)
        assert field == "file"
        assert "row 3" in message
    assert client.get("/batch/imports").json == {"data": []}


@pytest.mark.parametrize(
    "note",
    ["Hi,\nwrite to bob@example.com, please, Ann", "a, b\nc, d, e", "bob@example.com\ncy@example.com",
     "x,\nmail bob@example.com,Bob,b", "bob@example.com, Bob, b"],
)  # fmt: skip
def test_a_cell_of_several_lines_is_text(client, note):
    text = f'{HEADER}ann@example.com,"{note}",a\n'
    assert import_file(client, text)["created"] == 1


def test_in_a_file_of_one_column_it_is_a_cell_with_two_addresses(client):
    assert import_file(client, 'email\n"ann@example.com\nbob@example.com"\n')["failed"] == 1
