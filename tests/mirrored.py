"""Reads a target of `audience mirror`, for tests."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg

from schemas.values import write_date
from storage.engines.sqlite_files import opened_file
from storage.searches.mirrors import COLUMNS

QUERIES = {
    "subscribers": "SELECT * FROM subscribers",
    "tags": "SELECT * FROM tags",
    "events": "SELECT * FROM events",
}
JSON_COLUMNS = {"subscribers": "fields", "events": "details"}
Rows = dict[str, list[dict[str, Any]]]
Site = tuple[dict[str, Any], list[dict[str, Any]]]  # subscribers by uuid, with sorted tags, and events


def _json_lines(place: str) -> Rows:
    found = [json.loads(line) for line in Path(place).read_text("utf-8").splitlines()]
    return {
        table: [{name: row[name] for name in COLUMNS[table]} for row in found if row["table"] == table]
        for table in QUERIES
    }


def _sqlite(place: str) -> Rows:
    read: Rows = {}
    with opened_file(Path(place)) as opened:
        for table, query in QUERIES.items():
            rows = opened.execute_sql(query).fetchall()
            read[table] = [dict(zip(COLUMNS[table], row, strict=True)) for row in rows]
    for table, name in JSON_COLUMNS.items():
        read[table] = [row | {name: json.loads(row[name])} for row in read[table]]
    return read


def _server(url: str) -> Rows:
    with psycopg.connect(url) as connection:
        return {
            table: [
                dict(zip(COLUMNS[table], map(_exported, row), strict=True))
                for row in connection.execute(query)
            ]
            for table, query in QUERIES.items()
        }


def _exported(value: Any) -> Any:
    return write_date(round(value.timestamp() * 1000)) if isinstance(value, datetime) else value


READERS = {"sqlite": _sqlite, "jsonl": _json_lines, "postgresql": _server}


def mirrored(to: str) -> Site:
    """The site in a target, in the form of the exports."""
    form, _, place = to.partition(":")
    read = READERS[form](to if form == "postgresql" else place)
    tags: dict[str, list[str]] = {}
    for row in read["tags"]:
        tags.setdefault(row["uuid"], []).append(row["tag"])
    people = {row["uuid"]: row | {"tags": sorted(tags.pop(row["uuid"], []))} for row in read["subscribers"]}
    assert not tags, "tags of nobody"
    events = sorted(read["events"], key=lambda row: int(row["id"]))
    return people, [row | {"id": str(row["id"])} for row in events]
