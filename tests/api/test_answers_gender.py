"""Guess a gender (docs/contract.md, Answers)."""

import pytest

from tests import response_assertions


def guess(answers_client, name):
    answer = response_assertions.answer(answers_client.post("/experimental/gender", {"name": name}))
    response_assertions.keys(answer, "gender", "confidence", "basis")
    assert (answer["basis"] is None) == (answer["gender"] == "unknown")
    assert type(answer["confidence"]) is float
    return answer["gender"], answer["confidence"]


@pytest.mark.parametrize(("name", "gender", "confidence"), [
    ("jesse", "male", 0.9631336405529953),
    ("Jesse Owens", "male", 0.9631336405529953),
    ("barb", "female", 0.9230769230769231),
])  # fmt: skip
def test_the_published_examples_to_the_last_digit(answers_client, name, gender, confidence):
    assert guess(answers_client, name) == (gender, confidence)


@pytest.mark.parametrize(("name", "gender"), [
    ("Dr. María-José O'Neil-Smith Jr.", "female"), ("Smith, John", "male"), ("JOHN", "male"),
    ("Mrs Alex Doe", "female"),
    ("Mr. Robin Lee", "male"), ("Seán Ó Briain", "male"), ("Jean-Luc", "male"), ("Anna-Lena Meyer", "female"),
])  # fmt: skip
def test_written_forms_of_names(answers_client, name, gender):
    result, confidence = guess(answers_client, name)
    assert result == gender
    assert 0.5 < confidence <= 1.0


@pytest.mark.parametrize("name", ["", " ", "J. R. R.", "李小明", "123", "😀", "\ud800", "\0", "Bob & Ann", 5])
def test_an_inconclusive_name_is_unknown_with_zero_confidence(answers_client, name):
    assert guess(answers_client, name) == ("unknown", 0.0)
