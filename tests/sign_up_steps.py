"""What tests of sign-ups do: ask for one, confirm it, look at what is left of it."""

from typing import Any

from audience.forms import forms
from audience.sign_ups import confirming, sign_ups
from audience.sign_ups.confirm_links import ConfirmLinks
from audience.sign_ups.sign_ups import Asked
from storage import database
from storage.sign_ups import counts
from storage.sign_ups import sign_ups as stored

BASE = "https://people.example"
ZOE = "zoe@example.com"


def make_form(site, **values):
    item = {"name": "Footer", "wording": {"en": "News once a week."}, "state": "paused"}
    return forms.create(site, item | values)


def ask(site, form, email=ZOE, **values) -> Any:
    return sign_ups.accept(site, form, Asked(email, base_url=BASE, **values))


def token(site, sign_up):
    return ConfirmLinks(site, BASE).url(sign_up).rpartition("/")[2]


def confirm(site, sign_up):
    return confirming.confirm(token(site, sign_up), "click", 4, "198.51.100.0/24", "Firefox")


def read(token) -> Any:
    return confirming.read(token)


@database.session()
def row(site, sign_up) -> Any:
    """As it is now; None if it is gone."""
    return stored.get(site_id=site.id, id=sign_up.id)


@database.session()
def counted(site):
    """The numbers by outcome."""
    numbers: dict[str, int] = {}
    for _, _, outcome, number in counts.since(site.id, 0):
        numbers[outcome] = numbers.get(outcome, 0) + number
    return numbers
