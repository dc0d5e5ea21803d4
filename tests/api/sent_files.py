"""Sends files to POST /v1/batch/imports, and reads which rows were refused."""

import csv
import io

from audience.operations import site_lane
from tests.response_assertions import error

CSV = "text/csv"
LINES = "application/x-ndjson"


ANSWERS = ("consent", "consent_column", "answers", "from", "subscribed")


def ask(client, text, content_type=CSV, query=None, **options):
    """Sends a file with only these parameters: the answer may be a question."""
    data = text if isinstance(text, bytes) else text.encode()
    return client.send_file("/batch/imports", data, content_type=content_type, query=query or {}, **options)


def send(client, text, content_type=CSV, query=None, **options):
    """Sends a file. Everyone in it is subscribed, unless a parameter answers for the file."""
    said = dict(query or {})
    if not said.keys() & {*ANSWERS}:
        said["consent"] = "subscribed"
    return ask(client, text, content_type, said, **options)


def import_file(client, text, content_type=CSV, **options):
    """Imports a file, applies it and returns its progress."""
    response = send(client, text, content_type, **options)
    assert response.status_code == 200, response.text
    site_lane.drain(client.site.id, 30)
    return client.get(f"/batch/imports/{response.json['data']['id']}").json["data"]["attributes"]


def errors(client, number=1):
    response = client.get(f"/batch/imports/{number}/errors.csv")
    assert response.status_code == 200
    assert response.content_type == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(response.text)))


def people(header, *values):
    """A file with a subscriber for each value, in a column with this header; None omits the header row."""
    first = "" if header is None else f"email,{header}\n"
    return first + "".join(f"p{n}@example.com,{value}\n" for n, value in enumerate(values))


def is_in(client, email):
    return client.find(email)["attributes"]["unsubscribed_at"] is None


def left(client, count):
    """The numbers of those of the `people` who are unsubscribed."""
    return {n for n in range(count) if not is_in(client, f"p{n}@example.com")}


def asked(client, text, query=None, content_type=CSV):
    """The answer with a question to a file. Nothing of the file may be stored."""
    for more in ({}, {"dry_run": "1"}):
        response = ask(client, text, content_type, query=dict(query or {}) | more)
        error(response, 422)
        assert client.get("/batch/imports").json == {"data": []}
    return response.json


def by_column(column, **told):
    return {"consent_column": column, **told}


def command(client, name, email):
    client.post("/fetch/commands", {"command": {"command": name, "email": email}})
