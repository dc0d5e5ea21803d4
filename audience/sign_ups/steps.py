"""The step between filling in a form and signing up: what a visitor typed and a challenge, as one signed
text.

The service stores no step. It is good for 15 minutes, for the network for which it was made.
"""

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import altcha
from itsdangerous import BadData, URLSafeSerializer

from audience import clock
from audience.access import site_keys
from audience.access.sites import Site
from audience.clock import MINUTE_MS
from audience.sign_ups import alarms

PURPOSE = "step"
LIFE_MS = 15 * MINUTE_MS
LEAST_MS = 3_000  # before the button counts
ALGORITHM, COST = "PBKDF2/SHA-256", 5_000  # half a second of a browser, 2 ms of ours
PREFIX, HARD_PREFIX = "00", "000"  # the second is 16 times harder, and no harder for us
SEPARATOR = ":"
MAX_LENGTH = 2**14


class StepOutcome(StrEnum):
    """How a visitor answered the challenge.

    `SOLVED`: by the script. `PRESSED`: by the button, without the script. `EARLY`: by the button, sooner than
    anybody can read. `AGAIN`: too late, from another network, or wrongly, so that a new step is needed.
    """

    SOLVED = "solved"
    PRESSED = "pressed"
    EARLY = "early"
    AGAIN = "again"


class FormStep(NamedTuple):
    """What a visitor typed, with the challenge. `email` and `fields` (by key) are as typed.

    `network` is the shortened IP address. `version` is that of the wording. `is_trapped`: the hidden field
    has a value.
    """

    form_id: int
    email: str
    fields: Mapping[str, str]
    language: str
    origin: str
    version: int
    is_trapped: bool
    network: str
    made_at: int = 0
    challenge: Mapping[str, Any] = {}

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the challenge, which the page's script solves."""
        parameters: Mapping[str, Any] = self.challenge["parameters"]
        return parameters

    @property
    def is_hard(self) -> bool:
        return bool(self.parameters["keyPrefix"] == HARD_PREFIX)


def begin(site: Site, step: FormStep, is_hard: bool = False) -> FormStep:
    """Returns the step with a new proof-of-work challenge for the visitor's browser: a hard challenge if
    `is_hard`, or while the site's alarm is on.
    """
    prefix = HARD_PREFIX if is_hard or alarms.held_since(site) else PREFIX
    challenge = altcha.create_challenge(ALGORITHM, COST, key_prefix=prefix, hmac_secret=_key(site))
    return step._replace(made_at=clock.now_ms(), challenge=challenge.to_dict())


def sign(site: Site, step: FormStep) -> str:
    return str(_serializer(site).dumps(step))


def read(site: Site, form_id: int, text: str) -> FormStep | None:
    """The step in a signed text; None if the site has not signed it for this form."""
    if len(text) > MAX_LENGTH or not text.isascii():
        return None
    try:
        step = FormStep(*_serializer(site).loads(text))
    except (BadData, TypeError):  # also what an older Audience has signed
        return None
    return step if step.form_id == form_id else None


def judge(site: Site, step: FormStep, network: str, solution: str) -> StepOutcome:
    """Judges the answer to a step. `network` is the visitor's shortened IP address. `solution` is what the
    script computed; "" if the visitor pressed the button.
    """
    age = clock.now_ms() - step.made_at
    if age > LIFE_MS or network != step.network:
        return StepOutcome.AGAIN
    if solution:
        return StepOutcome.SOLVED if _is_solved(site, step, solution) else StepOutcome.AGAIN
    return StepOutcome.PRESSED if age >= LEAST_MS else StepOutcome.EARLY


def _is_solved(site: Site, step: FormStep, solution: str) -> bool:
    counter, _, found = solution.partition(SEPARATOR)
    if len(counter) > 10 or not counter.isdecimal():
        return False
    challenge = altcha.Challenge.from_dict(dict(step.challenge))
    payload = altcha.Payload(challenge, altcha.Solution(int(counter), found))
    return altcha.verify_solution(payload, _key(site)).verified


def _serializer(site: Site) -> URLSafeSerializer:
    signer = {"key_derivation": "none", "digest_method": hashlib.sha256}
    return URLSafeSerializer(_key(site), signer_kwargs=signer)


def _key(site: Site) -> bytes:
    return site_keys.link_key(site.id, PURPOSE, 0, "")
