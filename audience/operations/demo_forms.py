"""The demo's form, with the outcomes of its sign-ups in two months. It is paused, as nobody would get an
email.
"""

from audience import clock
from audience.access.sites import Site
from audience.clock import DAY_MS
from audience.forms import forms
from storage import database
from storage.sign_ups import counts

FORM = {
    "name": "Front page",
    "fields": [{"key": "first_name", "required": False}],
    "tags": ["from-website"],
    "intro": {"en": "A letter on the first Sunday of each month: coasts, maps, and one walk."},
    "thanks": {"en": "Thank you. The next letter goes out on Sunday."},
    "origins": ["https://coast.example"],
}
OUTCOMES = (("asked", 100), ("sent", 96), ("confirmed", 55))  # and how many of a hundred
DAYS = 56


def create(site: Site) -> None:
    form, now = forms.create(site, FORM), clock.now_ms()
    with database.write(site.id):
        for day in range(DAYS):
            sign_ups = 8 + day * 5 % 13 + (DAYS - day) // 8
            for outcome, share in OUTCOMES:
                counts.add(site.id, form.id, outcome, now - day * DAY_MS, sign_ups * share // 100)
