"""The demo's form, which is open, and sign-ups of two months in every state. None of them is sent."""

import json
import random
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from audience import addresses, clock
from audience.access import site_keys
from audience.access.sites import Site
from audience.clock import DAY_MS, HOUR_MS, MINUTE_MS
from audience.forms import forms
from audience.forms.forms import SignUpForm
from audience.operations.demo_people import SEED
from audience.sign_ups.sign_ups import HELD_MS, KEPT_MS, OPEN_MS
from storage import database
from storage.access import site_counters
from storage.sign_ups import counts, proofs
from storage.sign_ups import sign_ups as stored
from storage.sign_ups.proofs import Proof
from storage.sign_ups.sign_ups import CONFIRMED, DECLINED, FAILED, HELD, SENT, SMTP, WAITING, SignUp
from storage.subscribers import subscribers as stored_subscribers

DAYS, MOST_CONFIRMED = 56, 600
BESIDE = (SENT, FAILED, SENT, HELD, SENT, DECLINED, SENT, SENT, SENT, CONFIRMED)  # beside each who confirms
FATES = {  # how long it is kept, what is counted, why, and what the mail server said
    CONFIRMED: (KEPT_MS, (SENT, CONFIRMED), "", ""),
    DECLINED: (KEPT_MS, (SENT, DECLINED), "", ""),
    SENT: (OPEN_MS, (SENT,), "", "250 2.0.0 OK"),
    HELD: (HELD_MS, (HELD,), "trapped", ""),
    FAILED: (OPEN_MS, (FAILED,), "", "550 5.1.1 No such user here"),
    WAITING: (OPEN_MS, (), "", "451 4.7.1 Try again later"),
}
NAMES = ("ines.moreau", "otto.lind", "paula.reis", "tess.dekker", "ugo.sala", "wim.kuipers", "ada.brandt")
NETWORKS = ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8:7::/48")
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


class DemoSignUp(NamedTuple):
    """A sign-up requested `at` (milliseconds), and confirmed within minutes, if at all."""

    email: str
    at: int
    status: str


def create(site: Site, item: Mapping[str, Any], joined: Sequence[tuple[str, int]]) -> None:
    """Creates the form `item` and its sign-ups. Some of the newest subscribers came by the form.

    `joined` has subscribers' addresses and instants of creation in milliseconds.
    """
    form, now = forms.create(site, item, no_mail=""), clock.now_ms()
    newest = [(email, at) for email, at in joined if now - DAYS * DAY_MS < at < now - HOUR_MS]
    drafts = list(_drafts(newest[:: 1 + len(newest) // MOST_CONFIRMED], now))
    with database.write(site.id):
        _count(site.id, form.id, drafts, now)
        _store(site.id, form, [draft for draft in drafts if draft.at > now - FATES[draft.status][0]], now)


def _drafts(joined: Sequence[tuple[str, int]], now: int) -> Iterator[DemoSignUp]:
    source = random.Random(SEED)
    for number, (email, at) in enumerate(reversed(joined)):
        yield DemoSignUp(email, at - source.randrange(1, 20) * MINUTE_MS, CONFIRMED)
        status = BESIDE[number % len(BESIDE)]
        if status != CONFIRMED:
            yield DemoSignUp(_address(number), at - source.randrange(HOUR_MS), status)
    yield DemoSignUp(_address(len(joined)), now - 4 * MINUTE_MS, WAITING)


def _address(number: int) -> str:
    return f"{NAMES[number % len(NAMES)]}{number}@inbox.example.net"


def _count(site_id: int, form_id: int, drafts: Sequence[DemoSignUp], now: int) -> None:
    numbers: Counter[tuple[str, int]] = Counter()
    for draft in drafts:
        kept_ms, outcomes, _, _ = FATES[draft.status]
        is_expired = draft.status in (SENT, HELD, FAILED) and draft.at <= now - kept_ms
        for outcome in ("asked", *outcomes):
            numbers[outcome, draft.at // HOUR_MS] += 1
        if is_expired:
            numbers["expired", (draft.at + kept_ms) // HOUR_MS] += 1
    for (outcome, hour), number in numbers.items():
        counts.add(site_id, form_id, outcome, hour * HOUR_MS, number)


def _store(site_id: int, form: SignUpForm, drafts: Sequence[DemoSignUp], now: int) -> None:
    """Stores the sign-ups that are still kept, oldest first, and the proofs of confirmed ones."""
    by_key = stored_subscribers.get_by_keys(site_id, [draft.email for draft in drafts])
    number = site_counters.take_acceptance_number(site_id, now).number
    for position, draft in enumerate(sorted(drafts, key=lambda draft: draft.at)):
        network = NETWORKS[position % len(NETWORKS)]
        sign_up = _sign_up(site_id, form, draft, network, now)._replace(number=number)
        if draft.status == CONFIRMED:
            subscriber = by_key[addresses.identity(draft.email)]
            sign_up = sign_up._replace(confirmed_at=subscriber.created_at, subscriber_id=subscriber.id)
            proofs.add(_proof(form, draft, network, subscriber.id, subscriber.created_at), site_id=site_id)
        stored.add(sign_up, site_id=site_id)


def _sign_up(site_id: int, form: SignUpForm, draft: DemoSignUp, network: str, now: int) -> SignUp:
    kept_ms, outcomes, reason, answer = FATES[draft.status]
    is_over = draft.status in (CONFIRMED, DECLINED)
    return SignUp(
        0, form.id, str(uuid.uuid4()), 0, draft.status, reason, site_keys.address_hash(site_id, draft.email),
        "" if is_over else draft.email, "{}", "[]" if is_over else json.dumps(form.tags), form.version,
        form.language, form.origins[0], "" if is_over else network, "", "" if is_over else AGENT, "form", "",
        draft.at, draft.at + kept_ms, tries=int(draft.status != HELD), said=answer,
        next_try_at=now + 11 * MINUTE_MS if draft.status == WAITING else None,
        sent_at=draft.at + MINUTE_MS if SENT in outcomes else None,
    )  # fmt: skip


def _proof(form: SignUpForm, draft: DemoSignUp, network: str, subscriber_id: int, at: int) -> Proof:
    return Proof(
        0, subscriber_id, form.id, form.version, form.language, form.origins[0], "form", draft.at, network,
        "", at, network, "script", 4 + draft.at % 40, AGENT, SMTP,
    )  # fmt: skip
