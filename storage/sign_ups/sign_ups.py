"""Sign-ups. Instants are in milliseconds."""

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from peewee import SQL, BigIntegerField

from storage.base_models import SiteOwnedModel, add_partial_index
from storage.database import column, execute, execute_many, rows, value
from storage.engines.chosen import engine
from storage.records import Records

JOB = "confirmation"  # the kind of the job of a sign-up whose confirmation waits to be sent
HAND_OVER = "hand_over"  # the kind that it becomes if a webhook takes it
WAITING, SENT, HELD, FAILED = OPEN = ("waiting", "sent", "held", "failed")
RELEASED = "released"  # why a sign-up waits: it was held before
MAYBE_SENT = "maybe sent"  # why a sign-up waits: the mail server did not say whether it took the email
ALARM, HOUR, DOMAIN, RESTORED, MOVED = "alarm", "hour", "domain", "restored", "moved"  # why a sign-up is held
TEST = "test"  # `asked_by` of a sign-up that tests a form
OPERATOR = "operator"  # `asked_by` of one of no form: an operator asks a subscriber who is unconfirmed
ANSWERED = "answered"  # why such a one has ended: the subscriber has answered or is gone
CONFIRMED, DECLINED, ENDED = "confirmed", "declined", "ended"
WHILE_OPEN = f"status IN {OPEN}"
SMTP, WEBHOOK = "smtp", "webhook"  # deliveries
BLANKED = "email = '', fields = '{}', tags = '[]', agent = '', network = '', said = ''"


class SignUp(NamedTuple):
    """A sign-up. `number` is its acceptance number, `nonce` a uuid. `tags` and `fields`, what was typed by
    key, are JSON. Once it is confirmed, declined or ended, only the keyed hash is left of the address.

    `version` is that of the wording. `reason` says why the sign-up waits, is held or failed. `said` is the
    last answer of the mail server or of the webhook's receiver. `delivery` is how the last try was sent.
    """

    id: int
    form_id: int
    nonce: str
    number: int
    status: str
    reason: str
    address_hash: str
    email: str
    fields: str
    tags: str
    version: int
    language: str
    origin: str
    network: str
    country: str
    agent: str
    asked_by: str
    base_url: str
    requested_at: int
    expires_at: int
    tries: int = 0
    next_try_at: int | None = None
    said: str = ""
    sent_at: int | None = None
    confirmed_at: int | None = None
    subscriber_id: int | None = None
    delivery: str = SMTP

    @property
    def is_open(self) -> bool:
        return self.status in OPEN

    @property
    def is_test(self) -> bool:
        return self.asked_by == TEST

    @property
    def is_by_operator(self) -> bool:
        return self.asked_by == OPERATOR


class SignUpModel(SiteOwnedModel, table="sign_ups", record=SignUp):
    """No table of subscribers refers to it, and it has no foreign keys to a form or a subscriber."""

    expires_at = BigIntegerField(index=True)

    class Meta:
        indexes = (
            (("site", "nonce"), True),
            (("site", "address_hash"), False),
            (("site", "status", "id"), False),
        )


_sign_up: Any = SignUpModel
add_partial_index("sign_ups_sent", _sign_up.site, _sign_up.sent_at, where=SQL("sent_at IS NOT NULL"))
SIGN_UPS = Records(SignUpModel, SignUp)
add, get, has, change, delete = SIGN_UPS.add_new, SIGN_UPS.get, SIGN_UPS.has, SIGN_UPS.change, SIGN_UPS.delete


def page(site_id: int, status: str, address_hash: str, after: int, limit: int) -> list[SignUp]:
    """The next sign-ups after an id, oldest first. A `status` or `address_hash` of "" selects all."""
    equal = {"status": status, "address_hash": address_hash}
    chosen = {name: text for name, text in equal.items() if text}
    return SIGN_UPS.find("AND id > ? ORDER BY id LIMIT ?", after, limit, site_id=site_id, **chosen)


def newest(site_id: int, address_hash: str) -> SignUp | None:
    """The newest sign-up of an address, by hash; None without one."""
    found = SIGN_UPS.find("ORDER BY id DESC LIMIT 1", site_id=site_id, address_hash=address_hash)
    return found[0] if found else None


def end(site_id: int, sign_up_id: int, status: str, expires_at: int) -> None:
    """Gives a sign-up its final status, and removes the data about the person."""
    execute(
        f"UPDATE sign_ups SET status = ?, expires_at = ?, {BLANKED} WHERE site_id = ? AND id = ?",
        (status, expires_at, site_id, sign_up_id),
    )


def end_open(site_id: int, hashes: Collection[str]) -> None:
    """Ends the open sign-ups of addresses, by hash, and removes the data about the people.

    Their links then confirm nothing.
    """
    among = engine.among(hashes)
    execute(
        f"UPDATE sign_ups SET status = '{ENDED}', {BLANKED} "
        f"WHERE site_id = ? AND address_hash {among.text} AND {WHILE_OPEN}",
        (site_id, *among.parameters),
    )


def end_sent(site_id: int) -> None:
    """Ends all sign-ups of a site whose confirmations were sent, and removes the data about the people."""
    execute(
        f"UPDATE sign_ups SET status = '{ENDED}', {BLANKED} WHERE site_id = ? AND status = '{SENT}'",
        (site_id,),
    )


def erase(site_id: int, hashes: Iterable[str]) -> None:
    """Deletes the sign-ups of addresses, by hash. Declined ones stay: nobody asks them again."""
    execute_many(
        f"DELETE FROM sign_ups WHERE site_id = ? AND address_hash = ? AND status <> '{DECLINED}'",
        [(site_id, address_hash) for address_hash in hashes],
    )


def with_status(site_id: int, status: str, before: int | None = None) -> list[SignUp]:
    """The sign-ups with a status, oldest first; with `before`, only those requested before that instant."""
    asked = "" if before is None else "AND requested_at < ?"
    times = () if before is None else (before,)
    return SIGN_UPS.find(f"{asked} ORDER BY id", *times, site_id=site_id, status=status)


def count_open_by_status(site_id: int, before: int) -> dict[str, int]:
    """The number of open sign-ups that were requested before an instant, by status."""
    counted = f"AND {WHILE_OPEN} AND requested_at < ? GROUP BY status"
    return dict(SIGN_UPS.select("status, count(*)", counted, before, site_id=site_id))


def held_from_new_networks(site_id: int, reasons: Collection[str], limit: int) -> list[SignUp]:
    """The sign-ups held for one of `reasons` whose network is unknown or has no other one, oldest first."""
    among = engine.among(reasons)
    records = rows(
        f"SELECT {SIGN_UPS.columns} FROM sign_ups AS held WHERE site_id = ? AND status = '{HELD}' "
        f"AND reason {among.text} AND (network = '' OR NOT EXISTS (SELECT 1 FROM sign_ups AS other "
        "WHERE other.site_id = ? AND other.network = held.network AND other.id <> held.id)) "
        "ORDER BY id LIMIT ?",
        (site_id, *among.parameters, site_id, limit),
    )
    return SIGN_UPS.read(records)


def count_sent(site_id: int, since: int) -> int:
    """The number of a site's confirmations that were sent since an instant."""
    return value("SELECT count(*) FROM sign_ups WHERE site_id = ? AND sent_at >= ?", (site_id, since), 0)


def newest_sent(site_id: int, since: int, before: int, limit: int) -> list[bool]:
    """Whether each of the newest confirmations sent between two instants was confirmed, newest first."""
    sent = "AND sent_at >= ? AND sent_at < ? ORDER BY sent_at DESC LIMIT ?"
    confirmed = SIGN_UPS.select("confirmed_at", sent, since, before, limit, site_id=site_id)
    return [confirmed_at is not None for (confirmed_at,) in confirmed]


def site_with_expired(now: int) -> int | None:
    """The id of a site with a sign-up that has expired; None without one."""
    query = "SELECT site_id FROM sign_ups WHERE expires_at <= ? ORDER BY expires_at LIMIT 1"
    return value(query, (now,), None)


def list_expired(site_id: int, now: int, limit: int) -> list[SignUp]:
    return SIGN_UPS.find("AND expires_at <= ? ORDER BY expires_at LIMIT ?", now, limit, site_id=site_id)


def sites_with_held() -> list[int]:
    """The ids of sites that hold sign-ups."""
    return column("SELECT DISTINCT site_id FROM sign_ups WHERE status = 'held' ORDER BY site_id")
