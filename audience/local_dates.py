"""Dates and times as a language writes them."""

import datetime as dt
from typing import NamedTuple
from zoneinfo import ZoneInfo


class DateForm(NamedTuple):
    """How a language writes times and dates. `first` is how it writes the first day of a month."""

    time: str
    day: str
    date: str
    months: str
    first: str = "1"


FORMS = {
    "en": DateForm(
        "{hour}:{minute}", "{day} {month}", "{day} {month} {year}",
        "January February March April May June July August September October November December",
    ),
    "de": DateForm(
        "{hour}:{minute} Uhr", "{day}. {month}", "{day}. {month} {year}",
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    ),
    "es": DateForm(
        "{hour}:{minute}", "{day} de {month}", "{day} de {month} de {year}",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    ),
    "fr": DateForm(
        "{hour}\xa0h\xa0{minute}", "{day} {month}", "{day} {month} {year}",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "1er",
    ),
    "it": DateForm(
        "{hour}:{minute}", "{day} {month}", "{day} {month} {year}",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "1º",
    ),
    "nl": DateForm(
        "{hour}:{minute} uur", "{day} {month}", "{day} {month} {year}",
        "januari februari maart april mei juni juli augustus september oktober november december",
    ),
    "pt": DateForm(
        "{hour}:{minute}", "{day} de {month}", "{day} de {month} de {year}",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    ),
}  # fmt: skip


def time(language: str, at: int, zone: str) -> str:
    """The time of an instant, in milliseconds, in a time zone."""
    return _written(language, FORMS[language].time, at, zone)


def day(language: str, at: int, zone: str) -> str:
    """The date of an instant without the year."""
    return _written(language, FORMS[language].day, at, zone)


def date(language: str, at: int, zone: str) -> str:
    return _written(language, FORMS[language].date, at, zone)


def _written(language: str, form: str, at: int, zone: str) -> str:
    moment, words = dt.datetime.fromtimestamp(at / 1000, ZoneInfo(zone)), FORMS[language]
    return form.format(
        hour=f"{moment:%H}",
        minute=f"{moment:%M}",
        day=words.first if moment.day == 1 else moment.day,
        month=words.months.split()[moment.month - 1],
        year=moment.year,
    )
