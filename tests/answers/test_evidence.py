"""What is asked of the DNS for an address, and what its failures mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audience.answers.validation.validation import Ruleset
from tests.answers.test_validation import result
from tests.answers.zones import NO_DATA, PUBLIC, UNAVAILABLE, Zones, mail


@pytest.mark.parametrize("email", ["", "ann@firm", "ann@firm.quux", "ann@mailinator.com", "test@firm.org"])
def test_no_dns_query_for_an_address_that_is_invalid_already(email):
    dns = Zones()
    result(email, resolver=dns)
    assert dns.queries == []


def test_dns_queries_for_a_doubtful_address():
    dns = Zones(mail("firm.org"))
    result("info@firm.org", resolver=dns)
    assert dns.queries == [("firm.org", "MX"), ("mx.mailhost.net", "A"), ("mx.mailhost.net", "AAAA")]


TROUBLE = st.sampled_from([UNAVAILABLE, NO_DATA, (PUBLIC,), ("10.0.0.1",)])


@given(st.sampled_from(["MX", "A", "AAAA"]), TROUBLE, TROUBLE, TROUBLE)
def test_dns_failures_never_make_an_address_invalid(away, mx, v4, v6):
    """Whatever the other answers, if the one that could clear the address is missing."""
    hosts = {"firm.org MX": ["10 mx.firm.org"], "mx.firm.org A": v4, "mx.firm.org AAAA": v6}
    alone = {"firm.org MX": NO_DATA, "firm.org A": v4, "firm.org AAAA": v6}
    for records in (hosts, alone):
        key = next(key for key in records if key.endswith(f" {away}"))
        outcome = result(resolver=Zones(records | {key: UNAVAILABLE}))
        assert outcome.valid
        assert outcome.score == (1.0 if "no_mx" not in outcome.reasons else 0.8)


@pytest.mark.parametrize("strict", [False, True])
def test_without_a_network_no_address_is_invalid(strict):
    outcome = result("ann@firm.org", Ruleset(strict=strict), Zones(otherwise=UNAVAILABLE))
    assert (outcome.valid, list(outcome.reasons), outcome.score) == (True, ["dns_unavailable"], 1.0)
