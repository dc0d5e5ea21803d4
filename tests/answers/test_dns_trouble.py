"""What an address is told while the DNS servers are cut off, lie or are silent, and afterwards."""

import pytest

from audience.answers.service import Answers
from audience.config import Settings
from audience.protocols import DnsHealth
from tests.answers.internet import (
    CUT_OFF,
    LYING,
    NAMES,
    PUBLIC,
    UNAVAILABLE,
    canaries,
    clock,
    internet,
    patience,
    resolver,
    server,
    validate,
)

__all__ = ["canaries", "clock", "internet", "patience", "resolver", "server", "validate"]

FREE_UNAVAILABLE = (True, ["free_provider", "dns_unavailable"])


@pytest.mark.parametrize("trouble", [*CUT_OFF, *LYING])
@pytest.mark.parametrize("email", ["ann@some-firm.org", "ann@null.org", "ann@home.org", "ann@web.org"])
def test_trouble_from_the_start_makes_no_address_invalid(internet, validate, trouble, email):
    internet.state = trouble
    assert validate(email) in (UNAVAILABLE, (True, []))


@pytest.mark.parametrize("trouble", [*CUT_OFF, "nxdomain", "nxdomain of its own root"])
def test_trouble_after_health_makes_no_address_invalid(internet, validate, clock, trouble):
    assert validate("ann.lee@gmail.com") == (True, ["free_provider"])
    clock.now += 3601
    internet.state = trouble
    assert validate("ann.lee@gmail.com") == FREE_UNAVAILABLE
    assert validate("ann@some-firm.org") == UNAVAILABLE


@pytest.mark.parametrize("trouble", LYING)
@pytest.mark.parametrize("email", ["ann.lee@gmail.com", "ann.lee@web.de"])
def test_a_well_known_domain_that_is_denied_ends_a_good_outcome(internet, validate, trouble, email):
    """Within the 30 seconds for which the canaries' outcome would hold."""
    internet.names = NAMES | {"web.de MX": ["10 mx.webhost.net."], "mx.webhost.net A": [PUBLIC]}
    assert validate("ann@some-firm.org") == (False, ["no_such_domain"])
    internet.state = trouble
    assert validate(email) in (FREE_UNAVAILABLE, (True, ["free_provider"]))
    if trouble.startswith("nxdomain"):
        assert validate("ann@other-firm.org") == UNAVAILABLE


@pytest.mark.parametrize("trouble", [*CUT_OFF, *LYING])
def test_a_minute_after_the_trouble_answers_are_definite(internet, validate, clock, trouble):
    internet.state = trouble
    validate("ann@some-firm.org")
    validate("ann@web.org")
    validate("ann@firm.org")
    internet.state = "healthy"
    clock.now += 60
    assert validate("ann@some-firm.org") == (False, ["no_such_domain"])
    assert validate("ann@web.org") == (True, ["no_mx"])
    assert validate("ann@firm.org") == (True, [])


def test_what_is_listed_nowhere_while_the_dns_denies_everything_is_unknown(internet, resolver, tmp_path):
    internet.state = "nxdomain"
    answers = Answers(
        Settings(
            instance=tmp_path,
        ),
        resolver,
    )
    [entry] = answers.look_up(None, "8.8.4.4")
    assert "clear" not in entry.status.values()
    assert answers.resolver.last_health == DnsHealth.DENYING
    assert answers.zones.failed() == []
