"""Steps of tests of sign-ups: asks for a sign-up, confirms it, reads what is left of it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from audience import jobs
from audience.access.audit_log import COMMAND_LINE
from audience.access.sites import Site
from audience.forms import forms
from audience.jobs import NET, Kind
from audience.looks import looks, senders
from audience.mail.results import PAUSED, SENT, STOPPED, MailResult
from audience.sign_ups import alarm_mails, alarms, confirming, link_requests, sending, sign_ups
from audience.sign_ups.confirming import ConfirmLinks
from audience.sign_ups.sign_ups import SignUpRequest
from schemas.values import NAMES
from storage import database
from storage.sign_ups import counts
from storage.sign_ups import link_requests as stored_requests
from storage.sign_ups import sign_ups as stored

BASE = "https://people.example"
ZOE = "zoe@example.com"


def make_form(site, **values):
    item = {"name": "Footer", "wording": {"en": "News once a week."}, "state": "paused"}
    return forms.create(site, item | values)


def make_sender(site: Site) -> None:
    """Sets all that a site needs to send emails."""
    look = dict.fromkeys(("name", "home", "imprint", "privacy", "language", "accent", "base_url"), "")
    looks.change(
        site,
        look | {"name": "Harbour Letters", "privacy": "https://harbour.example/privacy"},
        b"",
        False,
        COMMAND_LINE,
    )
    sender = {"mail_from": "letters@harbour.example", "mail_name": "", "reply_to": ""}
    senders.change(site, sender, True, COMMAND_LINE)


@dataclass
class Mail:
    recipient: str
    sender: str
    message_id: str
    text: str


class FakeRelay:
    """Answers by its script, then takes every email. `mails` has those that it was handed over."""

    def __init__(self):
        self.mails, self.script = [], []
        self.meanwhile: Callable[[], object] = lambda: None

    def send(self, message, sender, recipient, is_wanted=lambda: True):
        self.meanwhile()
        if not is_wanted():
            return MailResult(STOPPED, "")
        result = MailResult(*(self.script.pop(0) if self.script else (SENT, "250 OK")))
        if result.status != PAUSED:
            self.mails.append(Mail(recipient, sender, message["Message-ID"], message.get_content()))
        return result


def send(site, relay=None, base_url=BASE, per_hour=300):
    """Does all due steps of mailing sign-ups or handing them over to a webhook."""
    step = partial(sending.step, relay=relay, base_url=base_url, private_addresses=True, per_hour=per_hour)
    jobs.work([Kind(name, NET, step) for name in (stored.JOB, stored.HAND_OVER)], site.id, 60)


def send_links(site, relay, base_url=BASE):
    """Does all due steps of mailing subscribers the links that they asked for."""
    step = partial(link_requests.step, relay=relay, base_url=base_url)
    jobs.work([Kind(stored_requests.JOB, NET, step)], site.id, 60)


def tell(site, relay):
    """Does all due steps of mailing the owners."""
    step = partial(alarm_mails.step, relay=relay, base_url=BASE, private_addresses=True)
    jobs.work([Kind(alarms.JOB, NET, step)], site.id, 60)


def ask(site, form, email=ZOE, **values) -> Any:
    names = {name: values.pop(name) for name in NAMES if name in values}
    fields = names | values.pop("fields", {})
    return sign_ups.accept(site, form, SignUpRequest(email, fields, base_url=BASE, **values))


def token(site, sign_up):
    return ConfirmLinks(site, BASE).url(sign_up).rpartition("/")[2]


def confirm(site, sign_up):
    return confirming.confirm(token(site, sign_up), "click", 4, "198.51.100.0/24", "Firefox")


def read(token) -> Any:
    return confirming.read(token)


@database.session()
def row(site, sign_up) -> Any:
    """The stored sign-up, as it is now; None if it was deleted."""
    return stored.get(site_id=site.id, id=sign_up.id)


@database.session()
def counted(site):
    """The numbers of sign-ups by outcome."""
    numbers: dict[str, int] = {}
    for _, _, outcome, number in counts.since(site.id, 0):
        numbers[outcome] = numbers.get(outcome, 0) + number
    return numbers


@database.session()
def job_left(site):
    """(when it is due,) of the job that mails confirmations; None without one."""
    return database.row("SELECT not_before FROM jobs WHERE site_id = ? AND kind = 'confirmation'", (site.id,))
