"""The table of validation rules, cheapest first, for both rule sets."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import prod

from audience.answers.contacts import has_link
from audience.answers.domains import has_suffix
from audience.answers.validation.address import ancestors, is_reserved
from audience.answers.validation.contact_name import has_digits, has_markup, is_shouting
from audience.answers.validation.evidence import Evidence, Origin
from audience.answers.validation.homographs import is_homograph
from audience.answers.validation.mail_route import RouteStatus
from audience.answers.validation.mailbox import MailboxKind
from audience.answers.validation.reasons import ValidationReason as Reason
from audience.answers.validation.user_agent import Visitor


class Fatal(StrEnum):
    """The rule sets in which a rule makes an address invalid by itself."""

    NEVER = "never"
    ALWAYS = "always"
    STRICT = "strict"
    OPINION = "strict, unless wiggleroom"
    ON_REQUEST = "strict, with block_free_providers"


@dataclass(frozen=True)
class ValidationRule:
    """A rule of validation. If `fires` is true of the evidence, the answer has the `reason`, and the score is
    multiplied by `1 - weight`.
    """

    reason: Reason
    weight: float
    fatal: Fatal
    fires: Callable[[Evidence], bool]
    asks_dns: bool = False


def score(rules: Iterable[ValidationRule]) -> float:
    """The score after some rules have fired: the product of `1 - weight` (noisy-or). It is from 0.0
    (certainly bad) to 1.0 (certainly good).
    """
    return round(prod((1 - rule.weight for rule in rules), start=1.0), 4)


def has_unknown_suffix(evidence: Evidence) -> bool:
    return (
        evidence.is_address
        and not is_reserved(evidence.address.domain)
        and not has_suffix(evidence.address.domain)
    )


def disposable_exchanger(evidence: Evidence) -> str:
    """The mail exchanger, or its parent domain, that belongs to a disposable service. Empty if there is none,
    for a relay, and for a misspelt domain.
    """
    if evidence.is_relay or evidence.suggestion is not None:
        return ""
    listed = evidence.tables.disposable_mx, evidence.tables.disposable
    above = (name for host in evidence.route.exchangers for name in ancestors(host))
    return next((name for name in above if any(name in table for table in listed)), "")


def listed_domain(table: str) -> Callable[[Evidence], str]:
    """A function that returns the domain of the address, or its closest parent, in a table of `EmailTables`.

    It may be called only if there is one.
    """
    return lambda evidence: next(
        name for name in ancestors(evidence.address.domain) if name in getattr(evidence.tables, table)
    )


def mailbox(evidence: Evidence) -> str:
    return evidence.address.mailbox


def mailbox_is(kind: MailboxKind) -> Callable[[Evidence], bool]:
    return lambda evidence: evidence.mailbox is kind


def visitor_is(kind: Visitor) -> Callable[[Evidence], bool]:
    return lambda evidence: evidence.visitor is kind


def origin_is(origin: Origin) -> Callable[[Evidence], bool]:
    return lambda evidence: evidence.origin is origin


def route_is(status: RouteStatus) -> Callable[[Evidence], bool]:
    return lambda evidence: evidence.route.status is status


RULES = (
    ValidationRule(Reason.SYNTAX, 1.0, Fatal.ALWAYS, lambda evidence: not evidence.is_address),
    ValidationRule(
        Reason.RESERVED_DOMAIN, 1.0, Fatal.ALWAYS, lambda evidence: is_reserved(evidence.address.domain)
    ),
    ValidationRule(Reason.UNKNOWN_TLD, 1.0, Fatal.ALWAYS, has_unknown_suffix),
    ValidationRule(
        Reason.HOMOGRAPH, 1.0, Fatal.ALWAYS, lambda evidence: is_homograph(evidence.address.domain)
    ),
    ValidationRule(Reason.TYPO, 0.6, Fatal.STRICT, lambda evidence: evidence.suggestion is not None),
    ValidationRule(Reason.DISPOSABLE, 0.9, Fatal.ALWAYS, lambda evidence: evidence.is_disposable),
    ValidationRule(Reason.RELAY, 0.0, Fatal.NEVER, lambda evidence: evidence.is_relay),
    ValidationRule(Reason.SYNTHETIC_MAILBOX, 0.6, Fatal.STRICT, mailbox_is(MailboxKind.SYNTHETIC)),
    ValidationRule(Reason.NO_REPLY, 0.6, Fatal.STRICT, mailbox_is(MailboxKind.NO_REPLY)),
    ValidationRule(Reason.ABUSE_MAILBOX, 0.6, Fatal.STRICT, mailbox_is(MailboxKind.ABUSE)),
    ValidationRule(Reason.ROLE_ADDRESS, 0.2, Fatal.OPINION, mailbox_is(MailboxKind.ROLE)),
    ValidationRule(Reason.GIBBERISH, 0.4, Fatal.OPINION, lambda evidence: evidence.is_gibberish),
    ValidationRule(
        Reason.FREE_PROVIDER,
        0.1,
        Fatal.ON_REQUEST,
        lambda evidence: evidence.address.domain in evidence.tables.free,
    ),
    ValidationRule(Reason.NAME_LINK, 0.6, Fatal.NEVER, lambda evidence: has_link(evidence.name)),
    ValidationRule(Reason.NAME_MARKUP, 0.5, Fatal.NEVER, lambda evidence: has_markup(evidence.name)),
    ValidationRule(Reason.NAME_DIGITS, 0.2, Fatal.NEVER, lambda evidence: has_digits(evidence.name)),
    ValidationRule(Reason.NAME_GIBBERISH, 0.4, Fatal.NEVER, lambda evidence: evidence.has_gibberish_name),
    ValidationRule(Reason.NAME_SHOUTING, 0.05, Fatal.NEVER, lambda evidence: is_shouting(evidence.name)),
    ValidationRule(Reason.UA_EMPTY, 0.2, Fatal.NEVER, visitor_is(Visitor.EMPTY)),
    ValidationRule(Reason.UA_BOT, 0.4, Fatal.NEVER, visitor_is(Visitor.BOT)),
    ValidationRule(Reason.UA_HTTP_LIBRARY, 0.4, Fatal.NEVER, visitor_is(Visitor.HTTP_LIBRARY)),
    ValidationRule(Reason.UA_HEADLESS, 0.4, Fatal.NEVER, visitor_is(Visitor.HEADLESS)),
    ValidationRule(Reason.IP_NOT_TIER1, 0.8, Fatal.ALWAYS, origin_is(Origin.ELSEWHERE)),
    ValidationRule(Reason.IP_LIST, 0.0, Fatal.NEVER, lambda evidence: evidence.has_ip_list),
    ValidationRule(Reason.IP_UNKNOWN, 0.0, Fatal.NEVER, origin_is(Origin.UNKNOWN)),
    ValidationRule(Reason.IP_UNAVAILABLE, 0.0, Fatal.NEVER, origin_is(Origin.UNAVAILABLE)),
    ValidationRule(
        Reason.NO_SUCH_DOMAIN, 1.0, Fatal.ALWAYS, route_is(RouteStatus.NO_SUCH_DOMAIN), asks_dns=True
    ),
    ValidationRule(
        Reason.TYPO, 0.6, Fatal.STRICT, lambda evidence: evidence.nearest is not None, asks_dns=True
    ),
    ValidationRule(Reason.NULL_MX, 1.0, Fatal.ALWAYS, route_is(RouteStatus.NULL_MX), asks_dns=True),
    ValidationRule(Reason.NO_MAIL_ROUTE, 1.0, Fatal.ALWAYS, route_is(RouteStatus.NONE), asks_dns=True),
    ValidationRule(Reason.MX_UNROUTABLE, 1.0, Fatal.ALWAYS, route_is(RouteStatus.UNROUTABLE), asks_dns=True),
    ValidationRule(
        Reason.DISPOSABLE_MX,
        0.9,
        Fatal.ALWAYS,
        lambda evidence: disposable_exchanger(evidence) != "",
        asks_dns=True,
    ),
    ValidationRule(Reason.TEMPORARY_BOUNCE, 0.4, Fatal.NEVER, route_is(RouteStatus.FAILING), asks_dns=True),
    ValidationRule(Reason.NO_MX, 0.2, Fatal.OPINION, route_is(RouteStatus.ADDRESS_ONLY), asks_dns=True),
    ValidationRule(Reason.DNS_UNAVAILABLE, 0.0, Fatal.NEVER, route_is(RouteStatus.UNKNOWN), asks_dns=True),
)

HITS: Mapping[Reason, Callable[[Evidence], str | None]] = {  # what a rule that fires has hit
    Reason.TYPO: lambda evidence: evidence.suggestion or evidence.nearest,
    Reason.DISPOSABLE: listed_domain("disposable"),
    Reason.RELAY: listed_domain("relays"),
    Reason.FREE_PROVIDER: listed_domain("free"),
    Reason.DISPOSABLE_MX: disposable_exchanger,
    **dict.fromkeys((Reason.SYNTHETIC_MAILBOX, Reason.NO_REPLY, Reason.ABUSE_MAILBOX), mailbox),
    **dict.fromkeys((Reason.ROLE_ADDRESS, Reason.GIBBERISH), mailbox),
}


def details(fired: Iterable[ValidationRule], evidence: Evidence) -> dict[str, str]:
    """By reason, the domain, exchanger, mailbox or suggestion because of which a rule fired. Reasons without
    such a detail are left out.
    """
    hits = {str(rule.reason): HITS[rule.reason](evidence) for rule in fired if rule.reason in HITS}
    return {reason: hit for reason, hit in hits.items() if hit}
