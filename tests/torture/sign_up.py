"""Visitors sign up, confirm and decline by the pages, while processes are killed and the mail server fails.

Whoever was told to look into their mailbox is sent an email, or shown as not sent: two at most, under one
Message-ID. On the list is who confirmed, with a proof, and nobody else; who declined is sent nothing more.
"""

import contextlib
import html
import http.client
import re
import threading
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from random import Random
from urllib.parse import urlencode

from audience.access import site_keys, sites
from audience.access.audit_log import network_of
from audience.access.sites import Site
from audience.forms import forms
from audience.privacy import pepper
from audience.sign_ups import sign_ups
from audience.subscribers import subscribers
from storage import database
from storage.sign_ups import proofs
from storage.sign_ups.sign_ups import CONFIRMED, DECLINED, ENDED, FAILED, SENT
from tests.answers.dns_servers import FakeServer
from tests.answers.internet import Internet
from tests.mail_server import DROPS, OK, SLOW, MailServer, serving
from tests.service import until
from tests.sign_up_steps import make_sender
from tests.torture.kill import kill
from tests.torture.world import World, eventually, opened_world

SHORT, LONG, UNIT = 2, 300, "rounds of 12 visitors"
VISITORS, KILLS = 12, 3
ORPHAN_SECONDS = 1.0  # that what a killed web server has begun may answer a little longer
DOMAIN = "firm.org"  # to which the names of `Internet` give a mail server
REFUSED = "no"  # begins an address that the mail server refuses for good
READING_SECONDS, MAIL_SECONDS = 3.2, 2.0  # after which the button counts; that a visitor waits for the email
SETTLING_TRIES = 60  # half a second apart
MODES = ("drops", "slow", "greylists", "down", "up", "slow")
NOT_NOW = frozenset({429, 503})
SETTLED = frozenset({SENT, FAILED, CONFIRMED, DECLINED, ENDED})
CONFIRM, DECLINE, NOTHING = "confirm", "decline", "nothing"
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)"(?: value="([^"]*)")?>')
LINK = re.compile(r"(/confirm/\S+)$", re.MULTILINE)
TOLD, SUBSCRIBED, IS_DELETED = "Check your inbox", "You’re in", "Deleted"


@dataclass
class Relay(MailServer):
    """A mail server that greylists while its mode says so, and refuses some recipients for good."""

    mode: str = "up"
    tried: set[str] = field(default_factory=set)

    def become(self, mode: str) -> None:
        self.mode, self.mail = mode, DROPS if mode == "down" else OK
        self.data = {"drops": DROPS, "slow": SLOW}.get(mode, "250 2.0.0 queued as 4711")

    def of_recipient(self, address: str) -> str:
        is_new = address not in self.tried
        self.tried.add(address)
        if address.startswith(REFUSED):
            return "550 5.1.1 no such user"
        return "451 4.7.1 later" if is_new and self.mode == "greylists" else self.rcpt

    def mails(self) -> dict[str, list[str]]:
        """The Message-IDs of taken emails, by recipient."""
        ids = defaultdict(list)
        for taken in [*self.taken]:
            ids[taken.recipients[0]].append(str(taken.message["Message-ID"]))
        return ids

    def link(self, email: str) -> str:
        """The path of the link that confirms; "" until an email to the address has come."""
        text = next((taken.text for taken in [*self.taken] if taken.recipients == [email]), "")
        return str(LINK.findall(text)[0]) if text else ""


@dataclass
class Visitor:
    """A visitor with an address and a network of their own, who repeats requests that were not answered."""

    world: World
    form: str
    email: str
    network: str
    wants: str
    has_done: bool = False

    def live(self, relay: Relay) -> None:
        """Signs up, waits a while for the email, and uses its link as the visitor `wants`."""
        step = self._page("POST", self.form, {"email": self.email})
        threading.Event().wait(READING_SECONDS)
        assert TOLD in self._page("POST", f"{self.form}/send", hidden(step)), self.email
        with contextlib.suppress(AssertionError):
            until(lambda: relay.link(self.email), MAIL_SECONDS)
        self.act(relay)

    def act(self, relay: Relay) -> None:
        if self.has_done or not (path := relay.link(self.email)):
            return
        if self.wants == CONFIRM:
            assert SUBSCRIBED in self._page("POST", path, hidden(self._page("GET", path))), self.email
        if self.wants == DECLINE:
            path += "/decline"
            assert IS_DELETED in self._page("POST", path, hidden(self._page("GET", path))), self.email
        self.has_done = True

    def _page(self, method: str, path: str, typed: dict[str, str] | None = None) -> str:
        text: str = eventually(partial(self._ask, method, path, typed))
        return text

    def _ask(self, method: str, path: str, typed: dict[str, str] | None) -> str | None:
        """The page; None if it must be requested again."""
        connection = http.client.HTTPConnection("127.0.0.1", self.world.service.port, timeout=10)
        headers = {"X-Forwarded-For": self.network, "Content-Type": "application/x-www-form-urlencoded"}
        with contextlib.closing(connection):
            connection.request(method, f"{path}?lang=en", urlencode(typed or {}) or None, headers)
            response = connection.getresponse()
            text = response.read().decode()
        assert response.status in {200, *NOT_NOW}, (response.status, method, path)
        return text if response.status == 200 else None


@contextmanager
def opened(short: bool) -> Iterator[object]:
    relay = Relay()
    with FakeServer(Internet()) as names, serving(relay):
        settings = {
            "AUDIENCE_SMTP_URL": relay.url,
            "AUDIENCE_DNS_SERVERS": names.address,
            "AUDIENCE_TRUSTED_PROXIES": "127.0.0.1",
            "AUDIENCE_CONFIRMATIONS_PER_HOUR": "1000000",
        }
        with opened_world(settings) as world:
            form, ended = open_form(world), dict[str, int]()

            def attack(number: int, chance: Random) -> None:
                people = visitors(world, form, number, chance)
                with ThreadPoolExecutor(VISITORS) as pool:
                    living = [pool.submit(one.live, relay) for one in people]
                    for kill_number in range(KILLS):
                        relay.become(MODES[(number * KILLS + kill_number) % len(MODES)])
                        threading.Event().wait(chance.uniform(0.5, 2.0))
                        strike(world, chance)
                    for life in living:
                        life.result()
                    relay.become("up")
                    settle(world, people)
                    acting = [pool.submit(one.act, relay) for one in people]
                    strike(world, chance)
                    for act in acting:
                        act.result()
                    threading.Event().wait(ORPHAN_SECONDS)
                check(world, relay, people, ended)

            yield attack


def open_form(world: World) -> str:
    """The path of an open form. Its own domain has no hourly limit."""
    with opened_here(world) as site:
        make_sender(site)
        item = {"name": "Website", "language": "en", "state": "open", "origins": [f"https://{DOMAIN}"]}
        form = forms.create(site, item | {"wording": {"en": "You agree."}}, no_mail="")
        return f"/forms/{site.uuid}/{form.id}"


def visitors(world: World, form: str, number: int, chance: Random) -> list[Visitor]:
    """The visitors of an attack. One in six has an address that the mail server refuses."""
    return [
        Visitor(
            world,
            form,
            f"{REFUSED if each % 6 == 0 else 'v'}-{number}-{each}@{DOMAIN}",
            f"{10 + number // 256}.{number % 256}.{each}.1",
            chance.choice([CONFIRM, CONFIRM, DECLINE, NOTHING]),
        )
        for each in range(VISITORS)
    ]


@contextmanager
def opened_here(world: World) -> Iterator[Site]:
    """Opens the service's database and pepper in this process, too."""
    with world.stored.opened():
        pepper.open(world.stored.settings.pepper, may_make=False)
        site_keys.forget()
        yield sites.choose()


def hidden(page: str) -> dict[str, str]:
    """The hidden fields of a page's form."""
    return {name: html.unescape(value) for name, value in HIDDEN.findall(page)}


def strike(world: World, chance: Random) -> None:
    """Kills a process. Releases the confirmations of a killed worker, as at the end of its lease."""
    victim = chance.choice(["worker", "worker", "web", "redis"])
    kill(world, victim, chance)
    if victim == "worker":
        with world.stored.opened(), database.write():
            database.execute(
                "UPDATE jobs SET claim = 'x', not_before = 0 "
                "WHERE kind = 'confirmation' AND claim IS NOT NULL"
            )


def settle(world: World, people: list[Visitor]) -> None:
    """Waits until none of the visitors' emails is open. Retries are made at once."""
    for _ in range(SETTLING_TRIES):
        with opened_here(world) as site:
            with database.write():
                database.execute(
                    "UPDATE jobs SET not_before = 0 WHERE kind = 'confirmation' AND claim IS NULL"
                )
            found = [one for person in people for one in sign_ups.list_page(site, address=person.email)]
        open_ones = [one for one in found if one.status not in SETTLED]
        if not open_ones:
            return
        threading.Event().wait(0.5)
    with opened_here(world), database.session():
        jobs = database.rows("SELECT * FROM jobs WHERE kind = 'confirmation'")
    raise AssertionError(
        f"not settled: {[(one.email, one.status, one.reason, one.said) for one in open_ones]}, {jobs}"
    )


def check(world: World, relay: Relay, people: list[Visitor], ended: dict[str, int]) -> None:
    """Checks the emails, sign-ups and subscribers. `ended` has the number of emails of those who declined in
    earlier rounds.
    """
    mails = relay.mails()
    assert all(len(ids) <= 2 and len({*ids}) == 1 for ids in mails.values()), mails
    assert all(len(mails[email]) == number for email, number in ended.items()), "declined, and sent more"
    with opened_here(world) as site:
        for person in people:
            check_one(site, person, mails[person.email])
    ended.update({one.email: len(mails[one.email]) for one in people if one.wants == DECLINE})
    confirmed = [one.email for one in people if one.wants == CONFIRM and one.has_done]
    world.ledger.left.update(dict.fromkeys(confirmed, False))
    world.check()


@database.session()
def check_one(site: Site, person: Visitor, mails: list[str]) -> None:
    found = sign_ups.list_page(site, address=person.email)
    statuses = {one.status for one in found}
    assert statuses, f"lost: {person.email}"
    assert mails or statuses == {FAILED}, (person.email, statuses)
    assert all(one.said for one in found if one.status == FAILED), person.email
    done = {CONFIRM: CONFIRMED, DECLINE: DECLINED}.get(person.wants) if person.has_done else None
    assert ({CONFIRMED, DECLINED} & statuses) == ({done} if done else set()), (person.email, statuses)
    subscriber = subscribers.find(site, person.email)
    assert (subscriber is not None) == (done == CONFIRMED), person.email
    if subscriber:
        [proof] = proofs.for_subscriber(site.id, subscriber.id)
        assert proof.requested_from == network_of(person.network), person.email
