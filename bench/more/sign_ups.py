"""Instances with forms, and the requests of visitors who have solved the challenge."""

import contextlib
import multiprocessing
from collections.abc import Iterator, Sequence
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Event
from pathlib import Path
from urllib.parse import urlencode

import altcha

from audience import clock
from audience.access import site_keys, sites
from audience.access.sites import Site
from audience.config import Settings
from audience.forms import forms
from audience.forms.forms import SignUpForm
from audience.privacy import pepper
from audience.sign_ups import steps
from audience.sign_ups.steps import FormStep
from bench import instances
from storage import database
from tests.answers.dns_servers import FakeServer
from tests.answers.internet import Internet
from tests.mail_server import MailServer, serving
from tests.service import Service
from tests.sign_up_steps import make_sender

DOMAIN = "firm.org"  # to which the names of `Internet` give a mail server
FORKED = multiprocessing.get_context("fork")


@contextlib.contextmanager
def served(instance: Path) -> Iterator[Service]:
    """A service that believes `X-Forwarded-For`, with a mail server and a DNS in a process of their own."""
    ready: SimpleQueue[tuple[str, str]] = FORKED.SimpleQueue()
    end = FORKED.Event()
    beside = FORKED.Process(target=_serve_beside, args=(ready, end), daemon=True)
    beside.start()
    mail_url, dns = ready.get()
    settings = {
        "AUDIENCE_SMTP_URL": mail_url,
        "AUDIENCE_DNS_SERVERS": dns,
        "AUDIENCE_TRUSTED_PROXIES": "127.0.0.1",
        "AUDIENCE_CONFIRMATIONS_PER_HOUR": "1000000",
    }
    try:
        with instances.served(instance, None, **settings) as service:
            yield service
    finally:
        end.set()
        beside.join()


def _serve_beside(ready: SimpleQueue[tuple[str, str]], end: Event) -> None:
    with serving(MailServer()) as mail, FakeServer(Internet()) as names:
        ready.put((mail.url, names.address))
        end.wait()


def open_forms(instance: Path, number: int) -> list[tuple[Site, SignUpForm]]:
    """Forms of the first site and of others, each with one."""
    with instances.open_instance(instance) as first:
        every = [first, *(sites.create(f"Site {index}") for index in range(1, number))]
        return [(site, _open_form(site)) for site in every]


@contextlib.contextmanager
def open_database(instance: Path) -> Iterator[None]:
    """The database of an instance of several sites, in this process."""
    pepper.open(instance / pepper.FILE)
    site_keys.forget()
    database.open(Settings(instance=instance).database)
    yield
    database.close()


def _open_form(site: Site) -> SignUpForm:
    make_sender(site)
    item = {"name": "Website", "language": "en", "state": "open", "origins": [f"https://{DOMAIN}"]}
    return forms.create(site, item | {"wording": {"en": "You agree."}}, no_mail="")


def fill_in(site: Site, form: SignUpForm, email: str, network: str) -> bytes:
    """The first request of a visitor."""
    return _post(f"/forms/{site.uuid}/{form.id}", {"email": email}, network)


def send(site: Site, form: SignUpForm, email: str, network: str) -> bytes:
    """The second: of a step that is made here, by the key of the site, for the solver must not take the
    service's processors. Its challenge costs the service what another costs. Good for 15 minutes.
    """
    challenge = altcha.create_challenge(
        steps.ALGORITHM, steps.COST, counter=0, key_prefix_length=1, hmac_secret=steps._key(site)
    )
    solution = altcha.solve_challenge(challenge)
    assert solution
    shortened = f"{network.rpartition('.')[0]}.0/24"
    step = FormStep(form.id, email, {}, "en", "", form.version, False, shortened)
    text = steps.sign(site, step._replace(made_at=clock.now_ms(), challenge=challenge.to_dict()))
    fields = {"step": text, "solution": f"{solution.counter}:{solution.derived_key}"}
    return _post(f"/forms/{site.uuid}/{form.id}/send", fields, network)


def _post(path: str, fields: dict[str, str], network: str) -> bytes:
    body = urlencode(fields)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: bench\r\nX-Forwarded-For: {network}\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return (head + body).encode()


def networks(number: int) -> Sequence[str]:
    """An address of each of so many networks of /24."""
    return [f"10.{index // 256}.{index % 256}.7" for index in range(number)]
