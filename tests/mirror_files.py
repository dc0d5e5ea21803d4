"""What a file of `audience mirror` has, for tests."""

import json
from pathlib import Path
from typing import Any

from storage.engines.sqlite_files import opened_file
from storage.searches.mirror_files import COLUMNS

QUERIES = {
    "subscribers": "SELECT * FROM subscribers",
    "tags": "SELECT * FROM tags",
    "events": "SELECT * FROM events",
}
JSON_COLUMNS = {"subscribers": "fields", "events": "details"}
Rows = dict[str, list[dict[str, Any]]]


def _json_lines(path: Path) -> Rows:
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {
        table: [{name: row[name] for name in COLUMNS[table]} for row in found if row["table"] == table]
        for table in QUERIES
    }


def _sqlite(path: Path) -> Rows:
    read: Rows = {}
    with opened_file(path) as opened:
        for table, query in QUERIES.items():
            rows = opened.execute_sql(query).fetchall()
            read[table] = [dict(zip(COLUMNS[table], row, strict=True)) for row in rows]
    for table, name in JSON_COLUMNS.items():
        read[table] = [row | {name: json.loads(row[name])} for row in read[table]]
    return read


READERS = {"sqlite": _sqlite, "jsonl": _json_lines}


def mirrored(path: Path, form: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The subscribers by uuid, with sorted tags, and the events, as exports have them."""
    read = READERS[form](path)
    tags: dict[str, list[str]] = {}
    for row in read["tags"]:
        tags.setdefault(row["uuid"], []).append(row["tag"])
    people = {row["uuid"]: row | {"tags": sorted(tags.pop(row["uuid"], []))} for row in read["subscribers"]}
    assert not tags, "tags of nobody"
    events = sorted(read["events"], key=lambda row: int(row["id"]))
    return people, [row | {"id": str(row["id"])} for row in events]
