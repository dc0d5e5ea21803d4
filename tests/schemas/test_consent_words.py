"""The tables of words of consent: what they suggest, and what no answer may contradict."""

import pytest

from schemas.formats.consent_words import (
    GONE,
    IN,
    LANGUAGES,
    LIVE,
    NO,
    NOT_YET,
    OUT,
    ROWS,
    UNSUBSCRIBED,
    UNSUBSCRIBING,
    YES,
    fold,
    is_unsubscribed,
    suggested_state,
)
from tests.rows import each_row
from tests.schemas.tables import normalized, repeated


def test_no_word_means_two_things():
    twice = repeated((state, word) for state, _, row in ROWS for word in row.split())
    assert twice == {}


def test_words_are_normalized_and_in_every_language():
    assert normalized(word for _, _, row in ROWS for word in row.split())
    assert [language for language, _ in UNSUBSCRIBED] == [*LANGUAGES]
    for language in LANGUAGES:
        states = {state for state, of, _ in ROWS if of == language}
        assert states == {OUT, IN, NOT_YET, YES, NO, LIVE, GONE}


@each_row(
    ("value", "header", "state"),
    [
        ("yes", "subscribed", IN), ("No", "subscribed", OUT), ("ja", UNSUBSCRIBING, OUT),
        ("0", UNSUBSCRIBING, IN), ("Opted-Out", "status", OUT), ("pending", "status", NOT_YET),
        ("date", UNSUBSCRIBING, OUT), ("", UNSUBSCRIBING, IN), ("", "status", None),
        ("yes", "", None), ("active", "", None), ("Unsubscribed", "", OUT), ("cold", "status", None),
    ],
)  # fmt: skip
def test_a_word_suggests_what_it_means_under_its_header(value, header, state):
    assert suggested_state(value, header) == state


@pytest.mark.parametrize("cell", ["unsubscribed", " Unsubscribed. ", "ABGEMELDET", "dado de baja"])
def test_what_says_it_literally(cell):
    assert is_unsubscribed(cell)


@pytest.mark.parametrize("cell", ["", "unsubscribed yesterday", "bounced", "inactive", "opted out", "no"])
def test_what_does_not(cell):
    assert not is_unsubscribed(cell)


def test_what_is_longer_than_any_word_stays_as_it_is():
    assert fold("Ä" * 101) == "Ä" * 101
