"""The bundled tables are well-formed, and do not contradict each other."""

import csv

import pytest

from audience.answers.domains import is_suffix
from audience.answers.folding import fold
from audience.answers.validation.address import ancestors, is_reserved
from audience.answers.validation.email_tables import DATA, bundled
from audience.answers.validation.mailbox import Use
from audience.answers.validation.typos import Typos
from audience.operations import disposable_domains
from tests.rows import each_row

DOMAIN_TABLES = (
    "disposable_domains",
    "disposable_mx",
    "free_providers",
    "big_providers",
    "lookalikes",
    "relays",
)


def lines(name):
    return (DATA / f"{name}.txt").read_text("ascii").splitlines()


@pytest.mark.parametrize("name", DOMAIN_TABLES)
def test_one_domain_per_line_without_duplicates(name):
    domains = lines(name)
    assert len(domains) == len(set(domains))
    assert [each for each in domains if each != each.lower() or "." not in each or " " in each] == []


@pytest.mark.parametrize(
    "name", ["disposable_domains", "disposable_mx", "free_providers", "lookalikes", "relays"]
)
def test_sorted(name):
    assert lines(name) == sorted(lines(name))


def test_nothing_is_both_free_and_disposable():
    tables = bundled()
    assert [domain for domain in tables.free if not tables.disposable.isdisjoint(ancestors(domain))] == []


def test_no_relay_is_disposable_or_free():
    tables = bundled()
    assert [domain for domain in tables.relays if not tables.disposable.isdisjoint(ancestors(domain))] == []
    assert tables.relays.isdisjoint(tables.free | tables.disposable_mx)


def test_the_exceptions_in_the_script_are_in_the_tables():
    exceptions = disposable_domains.NOT_DISPOSABLE | disposable_domains.SHARED | disposable_domains.PERMANENT
    assert bundled().disposable.isdisjoint(exceptions | disposable_domains.ALSO_FREE)
    assert bundled().free >= disposable_domains.ALSO_FREE | disposable_domains.PERMANENT


def test_the_words_of_mailboxes():
    with (DATA / "local_parts.csv").open(encoding="ascii", newline="") as file:
        rows = list(csv.DictReader(file))
    words = [row["local_part"] for row in rows]
    assert words == sorted(set(words))
    assert [word for word in words if word != fold(word)] == []
    assert len({row["language"] for row in rows if row["kind"] == "role"}) >= 10
    assert {row["use"] for row in rows} == set(Use)


def test_every_big_provider_is_free():
    assert set(lines("big_providers")) <= bundled().free


def test_every_lookalike_would_be_a_typo():
    typos = Typos(lines("big_providers"), frozenset())
    assert [domain for domain in lines("lookalikes") if typos.suggest(domain) is None] == []


def test_disposable_covers_no_public_suffix_and_no_reserved_name():
    tables = bundled()
    suffixes = [domain for domain in tables.disposable if is_suffix(domain)]
    assert suffixes == []
    assert not any(is_reserved(domain) for domain in tables.disposable)


@pytest.mark.parametrize(
    "domain", ["mailinator.com", "yopmail.com", "guerrillamail.com", "temp-mail.org", "10minutemail.com"]
)
def test_well_known_disposable_services_are_listed(domain):
    assert domain in bundled().disposable


@each_row(
    "domain",
    ["google.com", "duck.com", "nus.edu.sg", "simplelogin.io", "ox.ac.uk", "gmx.de", "dr.com", "hush.com"],
)
def test_real_domains_are_not_disposable(domain):
    assert bundled().disposable.isdisjoint(ancestors(domain))


@each_row("mailbox", ["ann", "j.smith", "mike99", "alexa", "angel", "coach", "paris", "mail", "me"])
def test_personal_names_are_not_roles(mailbox):
    assert bundled().mailboxes.kind(mailbox, "firm.org") is None
