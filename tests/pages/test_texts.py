"""What the pages say, in each language, and which language a page is in."""

import re
from importlib.resources import files

import pytest

from audience import local_dates
from audience.clock import DAY_MS
from audience.forms import words
from audience.links.unsubscribing import REASONS
from audience.looks.looks import LANGUAGES
from audience.pages import texts
from audience.pages.texts import DEFAULT, Texts, table
from audience.sign_ups.checks import PROBLEMS
from storage import database
from storage.looks import looks as stored_looks
from tests.audience.undo.test_undos import put
from tests.pages.visitor import heading

PLACEHOLDER = re.compile(r"\{\w*\}")
USED = re.compile(r"\bt\.(?!say\b|time\b|date\b|language\b)(\w+)|\bt(?:\.say\(|\[)\"(\w+)\"")
AT = 1_795_620_240_000  # 2026-11-25T15:24:00Z
TITLES = {
    "en": "Unsubscribe", "de": "Abmelden", "es": "Darse de baja", "fr": "Se désinscrire",
    "it": "Annullare l’iscrizione", "nl": "Uitschrijven", "pt": "Cancelar a inscrição",
}  # fmt: skip


def placeholders(texts):
    return {key: sorted(PLACEHOLDER.findall(text)) for key, text in texts.items()}


@pytest.mark.parametrize("read", [table, words.table], ids=["pages", "forms"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_same_keys_and_placeholders(read, language):
    assert placeholders(read(language)) == placeholders(read(DEFAULT))
    assert all(text == text.strip() != "" for text in read(language).values())
    assert not re.search("[<>'\"&]| [?!;:]|e-mail", " ".join(read(language).values()))


def test_every_text_is_used_and_every_used_one_is_there():
    folder = files("audience.pages") / "templates" / "pages"
    used = {
        name or other for file in folder.iterdir() for name, other in USED.findall(file.read_text("utf-8"))
    }
    by_code = {
        "this_address", "language", *REASONS, *PROBLEMS,
        *(f"{kind}{end}" for kind in ("broken", "large", "wait", "failed") for end in ("", "_say")),
    }  # fmt: skip
    assert used | by_code == table(DEFAULT).keys()


@pytest.mark.parametrize(("language", "time", "date"), [
    ("en", "17:24", "25 November 2026"), ("de", "17:24 Uhr", "25. November 2026"),
    ("es", "17:24", "25 de noviembre de 2026"), ("fr", "17\xa0h\xa024", "25 novembre 2026"),
    ("it", "17:24", "25 novembre 2026"), ("nl", "17:24 uur", "25 november 2026"),
    ("pt", "17:24", "25 de novembro de 2026"),
])  # fmt: skip
def test_times_are_as_the_language_writes_them(language, time, date):
    said = Texts(language)
    assert (said.time(AT, "Africa/Harare"), said.date(AT, "Africa/Harare")) == (time, date)


def test_every_language_writes_twelve_months():
    assert local_dates.FORMS.keys() == {*LANGUAGES}
    assert {len(form.months.split()) for form in local_dates.FORMS.values()} == {12}


@pytest.mark.parametrize(("language", "date"), [
    ("en", "1 December 2026"), ("de", "1. Dezember 2026"), ("es", "1 de diciembre de 2026"),
    ("fr", "1er décembre 2026"), ("it", "1º dicembre 2026"), ("nl", "1 december 2026"),
])  # fmt: skip
def test_the_first_of_a_month_is_as_the_language_writes_it(language, date):
    assert local_dates.date(language, AT + 6 * DAY_MS, "UTC") == date


@pytest.mark.parametrize("language", LANGUAGES)
def test_values_are_escaped_and_an_address_that_is_not_shown_is_this_address(language):
    said = Texts(language)
    assert "&lt;b&gt;" in said.say("unsubscribe_ask", name="<b>", address="a…@example.com")
    this = table(language)["this_address"]
    assert this in said.say("unsubscribe_ask", name="x", address="")
    text = said.say("unsubscribed_say", name="x", address="")
    assert this[0].upper() + this[1:] in text or this in text


@pytest.mark.parametrize(("tag", "language"), [
    ("de", "de"), ("DE", "de"), ("de-AT", "de"), ("pt_BR", "pt"), ("deu", ""), ("xx", ""), ("", ""),
    ("German", ""),
])  # fmt: skip
def test_a_tag_means_a_language(tag, language):
    assert texts.supported_language(tag) == language


def put_language(site, language):
    with database.write(site.id):
        stored_looks.put(site.id, {"language": language})


def test_the_language_is_the_asked_one_then_the_persons_then_the_browsers_then_the_sites(zoe):
    path = f"/unsubscribe/{zoe.token()}"
    assert heading(zoe.get(path)) == TITLES["en"]
    put_language(zoe.site, "it")
    assert heading(zoe.get(path)) == TITLES["it"]
    assert heading(zoe.get(path, Accept_Language="sv, fr;q=0.8, en;q=0.5")) == TITLES["fr"]
    for unknown in ("sv", "*", "sv, *;q=0.5", "fr;q=0, *"):
        assert heading(zoe.get(path, Accept_Language=unknown)) == TITLES["it"], unknown
    put(zoe.site, {"email": "zoe@example.com", "fields": {"language": "nl-BE"}})
    assert heading(zoe.get(path, Accept_Language="fr")) == TITLES["nl"]
    for language, title in TITLES.items():
        page = zoe.get(f"{path}?lang={language}", Accept_Language="fr")
        assert (heading(page), f'<html lang="{language}">' in page.text) == (title, True)
    assert heading(zoe.get(f"{path}?lang=<script>")) == TITLES["nl"]


def test_the_asked_language_stays_through_undo(zoe):
    page = zoe.get(f"/unsubscribe/{zoe.token()}?lang=pt")
    action = re.search('<form action="([^"]+)"', page.text)
    assert action is not None
    assert heading(zoe.post(action[1])) == "A inscrição foi cancelada"


@pytest.mark.parametrize("value", [7, None, ["de"], {"a": 1}, "x" * 9000])
def test_a_strange_language_field_does_no_harm(zoe, value):
    put(zoe.site, {"email": "zoe@example.com", "fields": {"language": value}})
    assert zoe.get(f"/unsubscribe/{zoe.token()}").status_code == 200
    assert zoe.get(f"/preferences/{zoe.preferences()}").status_code == 200
