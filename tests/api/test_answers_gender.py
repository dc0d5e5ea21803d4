"""Guess a gender (spec section 4.5, contract section 5)."""

import pytest

from tests import shapes


def guess(asker, name):
    answer = shapes.answer(asker.post("/experimental/gender", {"name": name}))
    shapes.keys(answer, "gender", "confidence")
    assert type(answer["confidence"]) is float
    return answer["gender"], answer["confidence"]


@pytest.mark.parametrize(("name", "gender", "confidence"), [
    ("jesse", "male", 0.9631336405529953),
    ("Jesse Owens", "male", 0.9631336405529953),
    ("barb", "female", 0.9230769230769231),
])  # fmt: skip
def test_the_published_examples_to_the_last_digit(asker, name, gender, confidence):
    assert guess(asker, name) == (gender, confidence)


@pytest.mark.parametrize(("name", "gender"), [
    ("Dr. María-José O'Neil-Smith Jr.", "female"), ("Smith, John", "male"), ("JOHN", "male"),
    ("Mrs Alex Doe", "female"),
    ("Mr. Robin Lee", "male"), ("Seán Ó Briain", "male"), ("Jean-Luc", "male"), ("Anna-Lena Meyer", "female"),
])  # fmt: skip
def test_names_as_people_write_them(asker, name, gender):
    found, confidence = guess(asker, name)
    assert found == gender
    assert 0.5 < confidence <= 1.0


@pytest.mark.parametrize(
    "name", ["", " ", "J. R. R.", "李小明", "Иван", "123", "😀", "\ud800", "\0", "Bob & Ann", 5]
)
def test_what_says_nothing_is_unknown_with_no_confidence(asker, name):
    assert guess(asker, name) == ("unknown", 0.0)
