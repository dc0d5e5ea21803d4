"""What a form says of an address: of its form and its domain, and nothing of the list."""

import pytest

from audience.access import address_lists, sites
from audience.answers.service import Answers
from audience.config import Settings
from audience.protocols import DnsAnswer, DnsHealth, DnsStatus
from audience.sign_ups import checks
from audience.sign_ups.checks import NO_ADDRESS, NO_DOMAIN, NO_MAIL, NO_USE, CheckedAddress


class Dns:
    """Knows three domains; all others have a mail server."""

    def ask(self, questions, timeout=None):
        return [self._answer(*question) for question in questions]

    def _answer(self, name, kind):
        if name.startswith("gone."):
            return DnsAnswer(DnsStatus.NXDOMAIN)
        if name.startswith("null."):
            return DnsAnswer(DnsStatus.OK, ("0 .",)) if kind == "MX" else DnsAnswer(DnsStatus.NO_DATA)
        if name.startswith("routeless."):
            return DnsAnswer(DnsStatus.NO_DATA)
        return DnsAnswer(DnsStatus.OK, ("10 mx.example.org",) if kind == "MX" else ("93.184.215.14",))

    def health(self, denied="", well_known=False):
        return DnsHealth.WORKS


@pytest.fixture
def site(app):
    return sites.create("Harbour Letters")


@pytest.fixture
def check(app, site):
    answers = Answers(Settings(), resolver=Dns())
    return lambda email, is_kept=False: checks.check(answers, site, email, is_kept, "", "Mozilla/5.0")


@pytest.mark.parametrize(("email", "problem"), [
    ("", NO_ADDRESS), ("zoe", NO_ADDRESS), ("zoe@", NO_ADDRESS), ("zoe@localhost", NO_ADDRESS),
    ("zoe@fjordpost.exampel", NO_DOMAIN), ("zoe@gone.harbour.no", NO_DOMAIN),
    ("zoe@null.harbour.no", NO_MAIL), ("zoe@routeless.harbour.no", NO_MAIL), ("zoe@mailinator.com", NO_USE),
])  # fmt: skip
def test_a_problem_of_the_address_is_named(check, email, problem):
    checked = check(email)
    assert (checked.problem, checked.is_good) == (problem, False)


@pytest.mark.parametrize("email", [
    "zoe@harbour.no", " Zoe@Harbour.no ", "zoë@harbour.no", "zoe@bücher.de", "info@harbour.no",
    "xkvbzqwj@harbour.no", "zoe@example.com",
])  # fmt: skip
def test_all_else_is_taken_and_kept_beside(check, email):
    assert check(email).is_good


def test_a_typo_is_asked_about_once(check):
    asked = check("zoe@gmial.com")
    assert asked == CheckedAddress("", "gmial.com", "zoe@gmail.com", True, asked.reasons)
    assert check("zoe@gmial.com", is_kept=True).is_good
    assert check("zoe@gmail,com") == CheckedAddress(NO_ADDRESS, suggestion="zoe@gmail.com")


def test_what_only_looks_like_an_address_is_asked_about_always(check):
    for is_kept in (False, True):
        asked = check("\ufb01ona@harbour.no", is_kept)
        assert (asked.suggestion, asked.may_keep, asked.is_good) == ("fiona@harbour.no", False, False)


def test_a_denied_domain_is_named_and_a_denied_address_is_not(check, site):
    for entry in ("bob@harbour.no", "rival.no"):
        address_lists.add(site, "deny", entry)
    assert check("bob@harbour.no").is_good
    assert check("bob@rival.no").problem == NO_USE
    address_lists.add(site, "allow", "ann@rival.no")
    assert check("ann@rival.no").is_good
