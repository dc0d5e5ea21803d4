"""Much at once: what is allowed is done, and what is too much is refused as too much."""

import pytest

from audience import imports
from tests import shapes

ADA = "ada@example.com"
MANY = 260_000  # above the limit of variables in a statement (250,000)


def names(start, count):
    return [f"t{number}" for number in range(start, start + count)]


@pytest.mark.parametrize("key", ["tags", "remove_tags"])
def test_an_import_of_many_tags(door, key):
    rows = [
        {"email": f"p{row}@example.com", key: names(row * MANY // 500, MANY // 500)} for row in range(500)
    ]
    answer = shapes.answer(door.post("/batch/subscribers", {"subscribers": rows}))
    imports.drain(door.site.id, 60)
    followed = shapes.import_(door.get(f"/batch/imports/{answer['import_id']}").json["data"])
    assert (followed["status"], followed["created"]) == ("finished", 500)
    assert len(door.get("/fetch/tags").json["data"]) == (MANY if key == "tags" else 0)


def test_a_person_of_many_tags_and_fields(door):
    person = door.create(ADA, tags=",".join(names(0, MANY)), fields=dict.fromkeys(names(0, MANY), 1))
    assert len(person["attributes"]["cached_tag_ids"]) == MANY
    assert len(person["attributes"]["fields"]) == MANY
    assert len(door.get("/fetch/fields").json["data"]) == MANY


def test_a_search_for_many_tags(door):
    door.create(ADA, tags=names(0, 101))
    found = door.post("/fetch/search", {"tags": names(0, 100)})
    assert len(shapes.answer(found)["data"]) == 1
    assert shapes.error_fields(door.post("/fetch/search", {"tags": names(0, 101)})) == ["tags"]
    assert shapes.error_fields(door.post("/fetch/search", {"tags": names(0, MANY)})) == ["tags"]


def test_a_long_value_comes_back_whole(door):
    text = "é👋" * 100_000
    assert door.create(ADA, first_name=text, fields={"note": text})["attributes"]["fields"]["note"] == text
    assert shapes.subscriber(door.find(ADA))["first_name"] == text
