"""Proofs of consent. Instants are in milliseconds."""

from typing import NamedTuple

from peewee import ForeignKeyField

from storage.base_models import SiteOwnedModel
from storage.records import Records
from storage.subscribers.subscribers import SubscriberModel


class Proof(NamedTuple):
    """Who asked for what, when and from where, and who confirmed it. `version` and `language` identify the
    wording.

    `confirmed_by` is `script` or `click`, `seconds` the time since the page was shown. `delivery` is how the
    link was sent: `smtp` or `webhook`.
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
    delivery: str


class ConsentProofModel(SiteOwnedModel, table="consent_proofs", record=Proof):
    subscriber = ForeignKeyField(SubscriberModel, on_delete="CASCADE")

    class Meta:
        indexes = ((("site", "form_id", "version"), False),)


PROOFS = Records(ConsentProofModel, Proof)
add = PROOFS.add_new


def for_subscriber(site_id: int, subscriber_id: int) -> list[Proof]:
    """The proofs of a subscriber, oldest first."""
    return PROOFS.find("ORDER BY id", site_id=site_id, subscriber_id=subscriber_id)


def agreed(site_id: int, form_id: int) -> dict[tuple[int, str], int]:
    """The number of a form's proofs, by (version, language) of its wording."""
    records = PROOFS.select(
        "version, language, count(*)", "GROUP BY version, language", site_id=site_id, form_id=form_id
    )
    return {(version, language): number for version, language, number in records}
