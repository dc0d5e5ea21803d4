"""The one table of validation's rules, cheapest first; both rule sets read it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import prod

from audience.checks.address import ancestors, is_reserved
from audience.checks.contact_name import holds_digits, holds_markup, is_unrelated, shouts
from audience.checks.contacts import has_link
from audience.checks.domains import has_suffix
from audience.checks.evidence import Evidence, Origin
from audience.checks.gibberish import is_mixed
from audience.checks.mail_route import RouteStatus
from audience.checks.mailbox import MailboxKind
from audience.checks.reasons import ValidationReason as Reason
from audience.checks.user_agent import Visitor

# Their mailboxes are random by design, and a person's all the same.
RELAYS = {"privaterelay.appleid.com", "duck.com", "mozmail.com", "relay.firefox.com", "passmail.net"}


class Fatal(StrEnum):
    """When a rule that fires makes the address invalid by itself."""

    NEVER = "never"
    ALWAYS = "plain and strict"
    STRICT = "strict"
    OPINION = "strict, unless wiggleroom"
    ON_REQUEST = "strict, with block_free_providers"


@dataclass(frozen=True)
class Rule:
    """`weight` is what firing takes off the score: it is multiplied by `1 - weight`."""

    reason: Reason
    weight: float
    fatal: Fatal
    fires: Callable[[Evidence], bool]
    asks_dns: bool = False


def score(rules: Iterable[Rule]) -> float:
    """1.0 surely good to 0.0 surely bad: noisy-or, the product of `1 - weight` over the rules that fired."""
    return round(prod(1 - rule.weight for rule in rules), 4)


def has_unknown_ending(seen: Evidence) -> bool:
    return seen.is_address and not is_reserved(seen.address.domain) and not has_suffix(seen.address.domain)


def is_gibberish(seen: Evidence) -> bool:
    mailbox = seen.address.mailbox
    random = seen.tables.names.is_gibberish(mailbox) or is_mixed(mailbox)
    return random and seen.mailbox is None and seen.domains.isdisjoint(RELAYS)


def has_disposable_exchanger(seen: Evidence) -> bool:
    above = {name for host in seen.route.exchangers for name in ancestors(host)}
    return not above.isdisjoint(seen.tables.disposable_mx) or not above.isdisjoint(seen.tables.disposable)


def has_name_apart(seen: Evidence) -> bool:
    return seen.mailbox is None and is_unrelated(seen.name, seen.address.mailbox)


def mailbox_is(kind: MailboxKind) -> Callable[[Evidence], bool]:
    return lambda seen: seen.mailbox is kind


def visitor_is(kind: Visitor) -> Callable[[Evidence], bool]:
    return lambda seen: seen.visitor is kind


def origin_is(origin: Origin) -> Callable[[Evidence], bool]:
    return lambda seen: seen.origin is origin


def route_is(status: RouteStatus) -> Callable[[Evidence], bool]:
    return lambda seen: seen.route.status is status


RULES = (
    Rule(Reason.SYNTAX, 1.0, Fatal.ALWAYS, lambda seen: not seen.is_address),
    Rule(Reason.RESERVED_DOMAIN, 1.0, Fatal.ALWAYS, lambda seen: is_reserved(seen.address.domain)),
    Rule(Reason.UNKNOWN_TLD, 1.0, Fatal.ALWAYS, has_unknown_ending),
    Rule(Reason.TYPO, 0.6, Fatal.STRICT, lambda seen: seen.suggestion is not None),
    Rule(
        Reason.DISPOSABLE, 0.9, Fatal.ALWAYS, lambda seen: not seen.domains.isdisjoint(seen.tables.disposable)
    ),
    Rule(Reason.SYNTHETIC_MAILBOX, 0.6, Fatal.STRICT, mailbox_is(MailboxKind.SYNTHETIC)),
    Rule(Reason.NO_REPLY, 0.6, Fatal.STRICT, mailbox_is(MailboxKind.NO_REPLY)),
    Rule(Reason.ABUSE_MAILBOX, 0.6, Fatal.STRICT, mailbox_is(MailboxKind.ABUSE)),
    Rule(Reason.ROLE_ADDRESS, 0.2, Fatal.OPINION, mailbox_is(MailboxKind.ROLE)),
    Rule(Reason.GIBBERISH, 0.4, Fatal.OPINION, is_gibberish),
    Rule(Reason.FREE_PROVIDER, 0.1, Fatal.ON_REQUEST, lambda seen: seen.address.domain in seen.tables.free),
    Rule(Reason.NAME_LINK, 0.6, Fatal.NEVER, lambda seen: has_link(seen.name)),
    Rule(Reason.NAME_MARKUP, 0.5, Fatal.NEVER, lambda seen: holds_markup(seen.name)),
    Rule(Reason.NAME_DIGITS, 0.2, Fatal.NEVER, lambda seen: holds_digits(seen.name)),
    Rule(Reason.NAME_GIBBERISH, 0.4, Fatal.NEVER, lambda seen: seen.tables.names.is_gibberish(seen.name)),
    Rule(Reason.NAME_SHOUTING, 0.05, Fatal.NEVER, lambda seen: shouts(seen.name)),
    Rule(Reason.NAME_UNRELATED, 0.1, Fatal.NEVER, has_name_apart),
    Rule(Reason.UA_EMPTY, 0.2, Fatal.NEVER, visitor_is(Visitor.EMPTY)),
    Rule(Reason.UA_BOT, 0.6, Fatal.NEVER, visitor_is(Visitor.BOT)),
    Rule(Reason.UA_HTTP_LIBRARY, 0.6, Fatal.NEVER, visitor_is(Visitor.HTTP_LIBRARY)),
    Rule(Reason.UA_HEADLESS, 0.6, Fatal.NEVER, visitor_is(Visitor.HEADLESS)),
    Rule(Reason.IP_MALFORMED, 0.6, Fatal.ALWAYS, origin_is(Origin.MALFORMED)),
    Rule(Reason.IP_NOT_TIER1, 0.8, Fatal.ALWAYS, origin_is(Origin.ELSEWHERE)),
    Rule(Reason.IP_UNKNOWN, 0.0, Fatal.NEVER, origin_is(Origin.UNKNOWN)),
    Rule(Reason.NO_SUCH_DOMAIN, 1.0, Fatal.ALWAYS, route_is(RouteStatus.NO_SUCH_DOMAIN), asks_dns=True),
    Rule(Reason.NULL_MX, 1.0, Fatal.ALWAYS, route_is(RouteStatus.NULL_MX), asks_dns=True),
    Rule(Reason.NO_MAIL_ROUTE, 1.0, Fatal.ALWAYS, route_is(RouteStatus.NONE), asks_dns=True),
    Rule(Reason.MX_UNROUTABLE, 1.0, Fatal.ALWAYS, route_is(RouteStatus.UNROUTABLE), asks_dns=True),
    Rule(Reason.DISPOSABLE_MX, 0.9, Fatal.ALWAYS, has_disposable_exchanger, asks_dns=True),
    Rule(Reason.TEMPORARY_BOUNCE, 0.6, Fatal.NEVER, route_is(RouteStatus.FAILING), asks_dns=True),
    Rule(Reason.NO_MX, 0.2, Fatal.OPINION, route_is(RouteStatus.ADDRESS_ONLY), asks_dns=True),
    Rule(Reason.DNS_UNAVAILABLE, 0.0, Fatal.NEVER, route_is(RouteStatus.UNKNOWN), asks_dns=True),
)
