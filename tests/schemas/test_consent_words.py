"""The tables of words for consent: each word means one thing, in every language, under every header."""

import pytest

from schemas.formats.consent_words import (
    LANGUAGES,
    ROWS,
    SENSES,
    UNMISTAKABLE,
    ConsentWord,
    certainly_left,
    folded,
    word_of,
)
from schemas.formats.header_names import meaning_of
from tests.schemas.tables import normalized, repeated

LEFT, IN, NOT_YET, YES, NO, ENDED = ConsentWord

SAID = {  # words that must be known, whatever becomes of the table
    LEFT: "unsubscribed blocklisted blacklisted cleaned bounced inactive disabled invalid unreachable "
    "hard_bounced marked_as_spam removed "
    "complained archived opted_out abgemeldet désabonné dado_de_baja disiscritto uitgeschreven descadastrado",
    IN: "subscribed active enabled confirmed opted_in angemeldet abonné suscrito iscritto "
    "ingeschreven inscrito",
    NOT_YET: "never_subscribed soft_bounced unconfirmed pending validating "
    "unbestätigt en_attente pendiente in_attesa onbevestigd pendente",
    YES: "yes true 1 y t on ja oui sí sì sim wahr vrai verdadero vero waar verdadeiro",
    ENDED: "cancelled canceled gekündigt annulé cancelado cancellato opgezegd",
    NO: "no false 0 n f off nein non nee não falsch faux falso onwaar",
}


def test_no_word_means_two_things():
    assert repeated((meaning, word) for meaning, _, words in ROWS for word in words.split()) == {}


def test_words_are_normalized_and_each_stands_once_in_a_language():
    assert normalized(word for _, _, words in ROWS for word in words.split())
    for language in LANGUAGES:
        words = [folded(word) for _, of, row in ROWS for word in row.split() if of == language]
        assert len(words) == len(set(words)), language


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_everything(language):
    assert {meaning for meaning, of, _ in ROWS if of == language} == set(ConsentWord)


@pytest.mark.parametrize(("meaning", "words"), SAID.items())
def test_words_that_must_be_known(meaning, words):
    assert {word: word_of(word) for word in words.split()} == dict.fromkeys(words.split(), meaning)


@pytest.mark.parametrize(
    ("cell", "word"), [("1.0", YES), (" 0.0 ", NO), ("1,0", YES), ("10", None), ("1.5", None), ("00", None)]
)
def test_numbers_as_spreadsheets_write_them(cell, word):
    assert word_of(cell) is word


@pytest.mark.parametrize(
    "cell",
    ["Opted-Out", "opted out", " OPTED_OUT ", "OptedOut", "opted out."],
)
def test_spellings_of_one_word(cell):
    assert word_of(cell) is LEFT


@pytest.mark.parametrize(
    "cell", ["", " ", "-1", "2", "1.5", "10", "x", "CA", "shipped", "paid", "cold", "implicit", "-"]
)
def test_what_is_no_word(cell):
    assert word_of(cell) is None


ORDINARY = {  # values of columns that are called `status` or `state`, but speak of something else
    "states": "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM "
    "NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY",
    "provinces": "AB BC MB NB NL NS NT NU ON PE QC SK YT",
    "Länder": "Bayern Hessen Sachsen Berlin Bremen Hamburg",
    "estados": "Jalisco Sonora Baja_California Nuevo_León Puebla",
    "stati": "Italia Svizzera Francia",
    "orders": "open paid shipped delivered returned refunded cancelled pending",
    "leads": "new contacted qualified customer won lost",
    "tickets": "open waiting solved closed",
    "paying": "trial premium expired past_due cancelled free",
    "people": "single married divorced widowed",
    "schools": "student graduate teacher alumni",
    "issues": "weekly monthly never",
}


@pytest.mark.parametrize("values", ORDINARY.values(), ids=ORDINARY)
def test_values_of_something_else_are_seldom_words_of_consent(values):
    known = [word for value in values.split() if (word := word_of(value)) not in (None, ENDED)]
    assert LEFT not in known
    assert 2 * len(known) < len(values.split())


def test_words_that_mean_nothing_else_in_every_language():
    assert {language for language, _ in UNMISTAKABLE} == set(LANGUAGES)
    assert all(certainly_left(word.upper()) for _, row in UNMISTAKABLE for word in row.split())


@pytest.mark.parametrize(
    "cell", ["bounced", "inactive", "archived", "disabled", "removed", "cancelled", "no", "0", "subscribed"]
)
def test_words_that_may_mean_something_else(cell):
    assert not certainly_left(cell)


def test_only_some_words_take_the_sense_of_the_header():
    assert SENSES.keys() == {"subscribed", "unsubscribed", "status"}
    for sense in SENSES.values():
        assert sense.keys() == {YES, NO, ENDED}
        assert {sense[YES], sense[NO]} == {IN, LEFT}
        assert sense[ENDED] is LEFT


@pytest.mark.parametrize(
    "header", ["Unsubscribed", "opt-out", "email_disabled", "bounced", "EMAIL_BLACKLISTED"]
)
def test_yes_under_a_header_of_having_left(header):
    assert SENSES[meaning_of(header) or ""][YES] is LEFT


@pytest.mark.parametrize(
    "header", ["Subscribed?", "subscribed_to_emails", "opt-in", "Accepts Email Marketing"]
)
def test_yes_under_a_header_of_being_in(header):
    assert SENSES[meaning_of(header) or ""][YES] is IN
