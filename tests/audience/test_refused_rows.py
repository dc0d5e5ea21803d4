"""Refused rows: no address is stored with one, and the row of an address is found to be erased."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from audience.access import sites
from audience.access.site_keys import SECOND, sent_address_hash
from audience.imports.refused_rows import MARK, MAX_HASHED, without_addresses

SITE = 1


@dataclass
class Row:
    email: str
    cells: list[str]
    row_number: int = 7
    code: str = "invalid"
    message: str = "No address."
    item: dict[str, Any] | None = field(default=None)


@pytest.fixture(autouse=True)
def numbered(app):
    """Three sites of an instance."""
    for name in "abc":
        sites.create(name)


@pytest.mark.parametrize(
    "cells",
    [
        ["ann@example.com", "Ann"],
        ["Ann <ann@example.com>", "Ann"],
        ['"ann@example.com"', "see ann@example.com, bob@example.com; eve@example.com"],
        ["ann＠example.com", "ann﹫example.com"],
        ["ann@example.com\tbob@example.com"],
        ["mailto:ann@example.com?cc=bob@example.com"],
        ["(ann@example.com)"],
    ],
)
def test_no_address_is_left_in_a_cell(cells):
    stored = without_addresses(SITE, Row("ann@example.com", cells))
    text = " ".join(stored.cells)
    assert MARK in text
    for part in ("@", "＠", "﹫", "example.com"):
        assert part not in text


def test_what_is_no_address_is_kept():
    cells = ["Ann", "5 apples", "", "2026-01-01", "naïve"]
    assert without_addresses(SITE, Row("", cells)).cells == cells


def test_an_address_that_is_malformed_is_not_stored_either():
    stored = without_addresses(SITE, Row(" Ann.example.com ", ["Ann.example.com ", "Ann"]))
    assert stored.cells == [MARK + stored.address_hash.removeprefix(SECOND), "Ann"]
    assert stored.address_hash == sent_address_hash(SITE, "ann.EXAMPLE.com")


def test_one_address_has_one_hash_on_a_site_and_another_on_others():
    assert sent_address_hash(SITE, "Ann@Example.com ") == sent_address_hash(SITE, "ann@example.com")
    assert len({sent_address_hash(site, "ann@example.com") for site in (1, 2, 3)}) == 3


def test_of_very_many_addresses_the_first_hundred_are_hashed():
    words = [f"p{number}@example.com" for number in range(MAX_HASHED + 50)]
    [cell] = without_addresses(SITE, Row("", [" ".join(words)])).cells
    marks = cell.split(" ")
    assert [mark == MARK for mark in marks] == [False] * MAX_HASHED + [True] * 50
    assert marks[0] == MARK + sent_address_hash(SITE, words[0]).removeprefix(SECOND)
