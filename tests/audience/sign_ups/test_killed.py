"""Workers are killed at any moment, and the mail server fails as it likes: nothing is lost."""

import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from audience.clock import DAY_MS
from audience.mail.results import LATER, PAUSED, REFUSED, SENT, STOPPED, UNSURE, MailResult
from audience.sign_ups import sign_ups
from storage import database
from tests import depth
from tests.audience.undo.test_undos import put, run
from tests.sign_up_steps import Mail, ask, counted, make_form, make_sender, row, send

PEOPLE = 30
WORKERS = 3


class Killed(BaseException):
    """As a worker that is killed: nothing handles it."""


class Deadly:
    """A mail server, and what kills those who speak with it. `unnoted` counts mails of which nobody knows."""

    def __init__(self, seed):
        self._dice, self._lock = random.Random(seed), threading.Lock()
        self.mails, self.unnoted, self.is_calm = list[Mail](), Counter[str](), False

    def send(self, message, sender, recipient, is_wanted):
        with self._lock:
            roll = 1.0 if self.is_calm else self._dice.random()
        if roll < 0.15:
            raise Killed
        if not is_wanted():
            return MailResult(STOPPED, "")
        if roll < 0.4:
            return MailResult(LATER if roll < 0.3 else PAUSED, "451 later")
        if roll < 0.45:
            return MailResult(REFUSED, "550 no")
        self.mails.append(Mail(recipient, sender, message["Message-ID"], ""))
        if roll < 0.6:
            self.unnoted[recipient] += 1
            if roll < 0.52:
                raise Killed
            return MailResult(UNSURE, "it broke off after DATA")
        return MailResult(SENT, "250 OK")


@pytest.mark.parametrize("seed", range(3 if depth.whole else 1))
def test_each_is_sent_or_shown_as_not_and_never_without_end(site, tick, seed):
    make_sender(site)
    form, relay, dice = make_form(site), Deadly(seed), random.Random(seed)
    people = [f"p{number}@gmail.com" for number in range(PEOPLE)]
    put(site, *({"email": email} for email in people[::2]))
    asked = {email: ask(site, form, email) for email in people}
    left: dict[str, int] = {}

    def work(_):
        with suppress(Killed):
            send(site, relay)

    for turn in range(60):
        relay.is_calm = turn > 50
        if turn < 10:
            email = dice.choice(people)
            left.setdefault(email, len([mail for mail in relay.mails if mail.recipient == email]))
            run(site, command="unsubscribe", email=email)
        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(work, range(WORKERS)))
        tick(dice.choice((1_000, 91_000, 3_600_000)))
    rows = {email: row(site, sign_up) for email, sign_up in asked.items()}
    assert {one.status for one in rows.values()} <= {"sent", "failed", "ended"}
    assert all(email in left for email, one in rows.items() if one.status == "ended")
    sent = Counter(mail.recipient for mail in relay.mails)
    for email, one in rows.items():
        assert sent[email] == (one.sent_at is not None) + relay.unnoted[email]
        assert sent[email] <= 2
        assert len({mail.message_id for mail in relay.mails if mail.recipient == email}) <= 1
        if one.status == "ended":
            assert sent[email] == left[email]
    assert counted(site)["sent"] == sum(one.sent_at is not None for one in rows.values())
    with database.session():
        assert database.rows("SELECT 1 FROM jobs WHERE kind = 'confirmation'") == []
    tick(DAY_MS)
    assert not any(sign_ups.seconds_to_wait(site, email) for email in people)
