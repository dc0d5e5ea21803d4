import pytest

from audience.answers.contacts import has_link
from audience.answers.validation.contact_name import has_digits, has_markup, is_related, is_shouting
from tests.rows import each_row

RELATED = [
    ("Maria Garcia", "maria.garcia"),
    ("Maria Garcia", "mgarcia82"),
    ("Maria Garcia", "mg.photos"),
    ("José Muñoz", "jose.munoz"),
    ("Seán O'Neil", "oneil.sean"),
    ("Elizabeth Carter", "lizcarter"),
    ("Alexander Petrov", "sasha.petrov"),
    ("Robert Smith", "rob"),
    ("김민규", "rlaalsrb"),
    ("Иван Петров", "bdfygtnhjd"),
]


@each_row(("name", "mailbox"), RELATED)
def test_related(name, mailbox):
    assert is_related(name, mailbox)


@pytest.mark.parametrize(
    ("name", "mailbox"),
    [
        ("Maria Garcia", "thunderbolt"),
        ("Peter Jackson", "qzxkvbnw"),
        ("山田太郎", "someone.else"),
        ("Ptrk", "ptrklmvbnq"),
    ],
)
def test_unrelated(name, mailbox):
    assert not is_related(name, mailbox)


@pytest.mark.parametrize(
    "name", ["http://x.test", "win at www.casino", "cheap-pills.com", "Ann visit bit.ly.link"]
)
def test_link(name):
    assert has_link(name)


@pytest.mark.parametrize(
    "name", ["J. R. R. Tolkien", "Dr.Smith", "St. John", "Ann B.Carter", "Acme Inc.", "J.Lo", "Will.I.Am"]
)
def test_no_link(name):
    assert not has_link(name)


@pytest.mark.parametrize("name", ["<b>Ann</b>", "{{7*7}}", "Ann &lt;x", "[url=x]"])
def test_markup(name):
    assert has_markup(name)


def test_an_ampersand_is_not_markup():
    assert not has_markup("Ann & Bob")


@pytest.mark.parametrize(
    ("name", "loud"), [("MARIA GARCIA", True), ("J. R. SO", False), ("Maria", False), ("山田 太郎", False)]
)
def test_shouting(name, loud):
    assert is_shouting(name) is loud


@pytest.mark.parametrize(
    ("name", "found"), [("Ann 4711", True), ("R2D2", True), ("John McDonald 3rd", False)]
)
def test_digits(name, found):
    assert has_digits(name) is found
