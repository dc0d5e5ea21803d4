"""Checks an address that a visitor typed into a form. Never reads whether the list has the address."""

import ipaddress
from collections.abc import Sequence
from typing import NamedTuple

from audience import addresses
from audience.access import address_lists
from audience.access.sites import Site
from audience.addresses import MalformedAddress
from audience.answers.service import Answers
from audience.answers.validation.address import split_loosely
from audience.answers.validation.allow_deny import AllowDenyLists, matching_entries
from audience.answers.validation.reasons import ValidationReason as Reason
from audience.answers.validation.validation import Candidate
from audience.errors import Refused, ServiceUnavailable
from schemas.values import trim

NO_ADDRESS, NO_DOMAIN, NO_MAIL, NO_USE = PROBLEMS = ("no_address", "no_domain", "no_mail", "no_use")
BY_REASON = {
    Reason.UNKNOWN_TLD: NO_DOMAIN,
    Reason.NO_SUCH_DOMAIN: NO_DOMAIN,
    Reason.NULL_MX: NO_MAIL,
    Reason.NO_MAIL_ROUTE: NO_MAIL,
    Reason.DISPOSABLE: NO_USE,
    Reason.DISPOSABLE_MX: NO_USE,
}


class CheckedAddress(NamedTuple):
    """The result of checking an address that a visitor typed.

    `problem` is one of `PROBLEMS`, or empty. `suggestion` is the address that the visitor probably meant;
    with `may_keep`, the visitor may decline it. `reasons` are those of the validation.
    """

    problem: str = ""
    domain: str = ""
    suggestion: str = ""
    may_keep: bool = False
    reasons: Sequence[str] = ()

    @property
    def is_good(self) -> bool:
        return not (self.problem or self.suggestion)


def check(answers: Answers, site: Site, typed: str, is_kept: bool, name: str, agent: str) -> CheckedAddress:
    """Checks an address. `is_kept`: the visitor has declined the suggestion for exactly this address.

    `name` and `agent` are the visitor's name and user agent. The visitor's IP address is not checked.
    """
    lists = address_lists.for_address(site, typed)
    result = answers.validate(Candidate(email=typed, name=name, user_agent=agent), lists)
    suggestion, domain = result.suggestion or "", trim(typed).rpartition("@")[2]
    try:
        meant = addresses.identity_of_new(typed)
    except MalformedAddress:
        return CheckedAddress(NO_ADDRESS, suggestion=suggestion)
    if _local(meant) != _local(trim(typed).lower()):
        return CheckedAddress(suggestion=meant)
    problem = next((BY_REASON[reason] for reason in result.reasons if reason in BY_REASON), "")
    if Reason.DENIED in result.reasons and not _is_denied_alone(answers.lists + lists, typed):
        problem = NO_USE
    asked = suggestion if problem or not is_kept else ""
    return CheckedAddress(problem, domain, asked, not problem, tuple(result.reasons))


def country(answers: Answers, ip: str) -> str:
    """The country of an IP address, from this instance's table; empty if it is unknown."""
    try:
        return "" if is_private(ip) else answers.sources.country_of(ip) or ""
    except (Refused, ServiceUnavailable):
        return ""


def is_private(address: str) -> bool:
    """Whether a text is a private IP address."""
    try:
        return ipaddress.ip_address(address).is_private
    except ValueError:
        return False


def _local(address: str) -> str:
    return address.rpartition("@")[0]


def _is_denied_alone(lists: AllowDenyLists, typed: str) -> bool:
    """Whether the deny list has the whole address. Visitors are told of a denied domain, but not of that."""
    address = split_loosely(typed)
    return address is not None and matching_entries(address)[0] in lists.deny
