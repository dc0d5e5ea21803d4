"""What a dry run keeps of people, in a temporary database."""

import pytest

from storage.engines.tried_people import TriedPeople
from storage.errors import DiskFault


def test_people_are_kept_as_they_were_put_last():
    with TriedPeople() as people:
        people.put({"ann@a.example": ["Ann", {"n": 1}], "bob@a.example": [None, {}]})
        people.put({"ann@a.example": ["Anna", {"n": 1.5}]})
        assert people.get(["ann@a.example", "bob@a.example", "cy@a.example"]) == {
            "ann@a.example": ["Anna", {"n": 1.5}],
            "bob@a.example": [None, {}],
        }


def test_a_full_disk_is_told_as_one():
    with TriedPeople() as people:
        people._database.pragma("max_page_count", 4)
        with pytest.raises(DiskFault):
            people.put({f"p{number}@a.example": "x" * 1_000 for number in range(100)})
