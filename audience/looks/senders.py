"""The sender of a site's emails: From address, its name, Reply-To; and a test of all that sends them."""

from collections.abc import Mapping

from audience import addresses, clock
from audience.access import audit_log, operators
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.answers.validation import address
from audience.clock import HOUR_MS
from audience.config import Settings
from audience.errors import Refused, TooMany
from audience.looks import looks
from audience.mail.results import MailResult
from audience.mail.sender import Sender, missing
from schemas.values import FieldError
from storage import database
from storage.looks import looks as stored

FIELDS = ("mail_from", "mail_name", "reply_to")
ADDRESS = "Write an address such as letters@example.com, in ASCII."
NOT_YOURS = "An administrator sets the From address."
NO_OPERATOR = "A test goes to an operator's own address. If you have no address, set one in the console."
ENOUGH = "Wait: a site sends at most 5 tests an hour."
MOST_TESTS, TEST_SENT = 5, "test email sent"
OTHER_DOMAIN = (
    "Write an address in the domain of the From address, or ask an administrator to set this address."
)


def sender(site: Site) -> Sender:
    """The sender of the site's emails, from its look."""
    look = looks.get(site)
    return Sender(
        look.name,
        look.mail_from,
        look.mail_name,
        look.reply_to,
        look.home,
        look.imprint,
        look.privacy,
        site.time_zone,
    )


def obstacle(site: Site, settings: Settings) -> str:
    """A sentence that says what the site lacks to send emails; "" if it lacks nothing."""
    return missing(settings, sender(site))


@database.writes_site
def change(site: Site, sent: Mapping[str, str], is_administrator: bool, actor: Actor) -> None:
    """Sets the `FIELDS` of the sender. Raises `Refused`.

    Only an administrator may change the From address, or send replies to another domain. Otherwise each of
    several owners of an instance could send as anybody.
    """
    before = stored.get(site.id)
    values = {"mail_name": sent["mail_name"]} | {
        field: _normal(field, sent[field]) for field in ("mail_from", "reply_to")
    }
    changed = {field: value for field, value in values.items() if value != getattr(before, field)}
    _check(values, changed, is_administrator)
    if changed:
        stored.put(site.id, changed)
        typed = {field: _domain(value) for field, value in changed.items()}
        audit_log.record(actor, "sender of the emails changed", site, typed=typed)


@database.writes_site
def change_with_look(
    site: Site,
    sent: Mapping[str, str],
    picture: bytes,
    removes_logo: bool,
    is_administrator: bool,
    actor: Actor,
    public_url: str,
) -> None:
    """Sets the look and the sender, or neither. Accent and page address are put in small letters.

    Raises `Refused` with an error for each wrong field.
    """
    sent = {**sent, "accent": sent["accent"].lower(), "base_url": sent["base_url"].lower().rstrip("/")}
    errors: list[FieldError] = []
    try:
        looks.change(site, sent, picture, removes_logo, actor, public_url)
    except Refused as error:
        errors += error.errors
    try:
        change(site, sent, is_administrator, actor)
    except Refused as error:
        errors += error.errors
    if errors:
        raise Refused(errors[0].message, errors)


def send_test(site: Site, email: str, settings: Settings, actor: Actor) -> MailResult:
    """Sends a test email to an operator within a minute, just as confirmations are sent.

    Raises `Refused`, and `TooMany` after `MOST_TESTS` in an hour.
    """
    from audience.mail import messages
    from audience.mail.relay import Relay

    if email not in (operator.email for operator, _ in operators.list_all() if operator.email):
        raise Refused(NO_OPERATOR)
    sent_by = sender(site)
    if lacking := missing(settings, sent_by):
        raise Refused(lacking)
    _count_test(site, email, actor)
    message = messages.test(looks.get(site).language or looks.LANGUAGES[0], sent_by, email)
    return Relay(settings).send(message, sent_by.mail_from, addresses.identity(email))


@database.writes_site
def _count_test(site: Site, email: str, actor: Actor) -> None:
    if audit_log.count_since(site, TEST_SENT, clock.now_ms() - HOUR_MS) >= MOST_TESTS:
        raise TooMany(ENOUGH, HOUR_MS // 1000)
    audit_log.record(actor, TEST_SENT, site, operator=email)


def _check(values: Mapping[str, str], changed: Mapping[str, str], is_administrator: bool) -> None:
    """Raises `Refused` for a wrong name, or `changed` addresses that only an administrator may set."""
    has_other_domain = _domain(values["reply_to"]) != _domain(values["mail_from"])
    wrong = {
        "mail_from": (NOT_YOURS, "mail_from" in changed and not is_administrator),
        "mail_name": (looks.NAME, not looks.is_name(values["mail_name"])),
        "reply_to": (
            OTHER_DOMAIN,
            bool(changed.get("reply_to")) and has_other_domain and not is_administrator,
        ),
    }
    errors = [FieldError(field, message) for field, (message, is_wrong) in wrong.items() if is_wrong]
    if errors:
        raise Refused(errors[0].message, errors)


def _normal(field: str, email: str) -> str:
    """The normal form of an address; "" if none was sent. Raises `Refused`."""
    if not email:
        return ""
    try:
        normal = addresses.identity(email)
    except addresses.MalformedAddress:
        normal = ""
    if not normal.isascii() or address.parse(normal) is None:
        raise Refused(ADDRESS, [FieldError(field, ADDRESS)])
    return normal


def _domain(email: str) -> str:
    return email.rpartition("@")[2]
