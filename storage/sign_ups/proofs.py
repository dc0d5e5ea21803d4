"""Proofs of consent. Instants are in milliseconds."""

from typing import NamedTuple

from storage.records import Records
from storage.sign_ups.models import ConsentProofModel


class Proof(NamedTuple):
    """Who asked for what, and who confirmed it: `version` and `language` tell the wording, `confirmed_by` is
    `script` or `click`, `seconds` how long after the page was shown.
    """

    id: int
    subscriber_id: int
    form_id: int
    version: int
    language: str
    origin: str
    asked_by: str
    requested_at: int
    requested_from: str
    country: str
    confirmed_at: int
    confirmed_from: str
    confirmed_by: str
    seconds: int
    agent: str


PROOFS = Records(ConsentProofModel, Proof)
add, has = PROOFS.add_new, PROOFS.has


def of_subscriber(site_id: int, subscriber_id: int) -> list[Proof]:
    """Those of a subscriber, oldest first."""
    return PROOFS.find("ORDER BY id", site_id=site_id, subscriber_id=subscriber_id)
