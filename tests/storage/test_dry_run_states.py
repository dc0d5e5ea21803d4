"""What a dry run keeps of people, in a temporary database."""

import pytest

from storage.engines.dry_run_states import DryRunStates
from storage.errors import DiskFault


def test_people_are_kept_as_they_were_put_last():
    with DryRunStates() as states:
        states.put({"ann@a.example": ["Ann", {"n": 1}], "bob@a.example": [None, {}]})
        states.put({"ann@a.example": ["Anna", {"n": 1.5}]})
        assert states.get(["ann@a.example", "bob@a.example", "cy@a.example"]) == {
            "ann@a.example": ["Anna", {"n": 1.5}],
            "bob@a.example": [None, {}],
        }


def test_a_full_disk_is_told_as_one():
    with DryRunStates() as states:
        states._database.pragma("max_page_count", 4)
        with pytest.raises(DiskFault):
            states.put({f"p{number}@a.example": "x" * 1_000 for number in range(100)})
