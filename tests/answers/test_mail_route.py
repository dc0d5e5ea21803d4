import pytest

from audience.answers.validation.mail_route import RouteStatus, find_route
from audience.protocols import DnsHealth
from tests.answers.zones import NO_DATA, NXDOMAIN, PUBLIC, SERVFAIL, UNAVAILABLE, Zones
from tests.rows import each_row

D = "firm.org"
CASES = {
    "an exchanger with an address": (
        {f"{D} MX": ["10 mx.firm.org"], "mx.firm.org A": [PUBLIC]}, RouteStatus.MX),
    "an exchanger with IPv6 only": (
        {f"{D} MX": ["10 mx.firm.org"], "mx.firm.org AAAA": ["2606:4700::1"]}, RouteStatus.MX),
    "one good exchanger among dead ones": (
        {f"{D} MX": ["5 gone.firm.org", "10 mx.firm.org"], "mx.firm.org A": [PUBLIC]}, RouteStatus.MX),
    "null MX": ({f"{D} MX": ["0 ."]}, RouteStatus.NULL_MX),
    "no such domain": ({}, RouteStatus.NO_SUCH_DOMAIN),
    "an address and no exchanger": ({f"{D} A": [PUBLIC]}, RouteStatus.ADDRESS_ONLY),
    "an IPv6 address and no exchanger": ({f"{D} AAAA": ["2606:4700::1"]}, RouteStatus.ADDRESS_ONLY),
    "neither": ({f"{D} TXT": ["v=spf1 -all"]}, RouteStatus.NONE),
    "a private address and no exchanger": ({f"{D} A": ["10.0.0.1"]}, RouteStatus.UNROUTABLE),
    "an exchanger on localhost": ({f"{D} MX": ["10 localhost"]}, RouteStatus.UNROUTABLE),
    "an exchanger on a private address": (
        {f"{D} MX": ["10 mx.firm.org"], "mx.firm.org A": ["192.168.1.5"]}, RouteStatus.UNROUTABLE),
    "an exchanger on the loopback": (
        {f"{D} MX": ["10 mx.firm.org"], "mx.firm.org A": ["127.0.0.1"], "mx.firm.org AAAA": ["::1"]},
        RouteStatus.UNROUTABLE),
    "exchangers that do not exist": (
        {f"{D} MX": ["10 gone.firm.org", "20 too.firm.org"]}, RouteStatus.FAILING),
    "an exchanger without address": (
        {f"{D} MX": ["10 mx.firm.org"], "mx.firm.org A": NO_DATA}, RouteStatus.FAILING),
    "failing name servers": ({f"{D} MX": SERVFAIL}, RouteStatus.FAILING),
    "failing name servers of the exchanger": (
        {f"{D} MX": ["10 mx.firm.org"], "mx.firm.org A": SERVFAIL, "mx.firm.org AAAA": SERVFAIL},
        RouteStatus.FAILING),
    "failing at the address": ({f"{D} MX": NO_DATA, f"{D} A": SERVFAIL}, RouteStatus.FAILING),
    "no answer": ({f"{D} MX": UNAVAILABLE}, RouteStatus.UNKNOWN),
    "no answer about the exchanger": (
        {f"{D} MX": ["10 mx.firm.org"], "mx.firm.org A": UNAVAILABLE, "mx.firm.org AAAA": NO_DATA},
        RouteStatus.UNKNOWN),
    "no answer about the address": ({f"{D} MX": NO_DATA, f"{D} A": UNAVAILABLE}, RouteStatus.UNKNOWN),
    "gone between two questions": (
        {f"{D} MX": NO_DATA, f"{D} A": NXDOMAIN, f"{D} AAAA": NXDOMAIN}, RouteStatus.NO_SUCH_DOMAIN),
}  # fmt: skip


@each_row(("records", "status"), CASES.values())
def test_route(records, status):
    assert find_route(D, Zones(records), 2.0).status is status


def test_exchangers_are_in_order_of_preference():
    records = {f"{D} MX": ["20 b.firm.org", "5 A.firm.org", "100 c.firm.org"], "a.firm.org A": [PUBLIC]}
    assert find_route(D, Zones(records), 2.0).exchangers == ("a.firm.org", "b.firm.org", "c.firm.org")


def test_no_query_after_the_timeout():
    zones = Zones()
    assert find_route(D, zones, 0.0).status is RouteStatus.UNKNOWN
    assert zones.queries == []


def test_many_exchangers_take_few_queries():
    zones = Zones({f"{D} MX": [f"{n} mx{n}.firm.org" for n in range(200)]})
    find_route(D, zones, 2.0)
    assert len(zones.queries) < 30


@each_row(("records", "status"), CASES.values())
@pytest.mark.parametrize("state", [DnsHealth.DENYING, DnsHealth.CUT_OFF])
def test_while_the_dns_is_in_trouble_only_a_route_is_believed(records, status, state):
    zones = Zones(records)
    zones.state = state
    believed = status if status is RouteStatus.MX else RouteStatus.UNKNOWN
    assert find_route(D, zones, 2.0).status is believed
