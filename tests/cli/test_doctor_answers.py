"""`audience doctor` on what answers need: tables that are not old, name servers, blacklists."""

from dataclasses import replace
from pathlib import Path

import pytest

import app as services
from audience import clock
from audience.answers import tables
from audience.answers.dns.resolver import DnsResolver
from audience.protocols import DnsAnswer, DnsHealth, DnsStatus
from tests.cli.test_doctor import states

DATA = Path(services.__file__).parent / "audience" / "data"


def test_old_tables_are_a_warning_with_advice(doctor, private, monkeypatch):
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now + 1000 * 86_400_000)
    results = doctor()[1]["tables"]
    assert {each["found"].partition(":")[0] for each in results if each["state"] == "warn"} == {
        "blacklist",
        "validation",
        "geolocation",
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [("tier1_countries", ("GB", "UK")), ("deny_addresses", ("no entry",)), ("dns_servers", ("nowhere",))],
)
def test_a_setting_with_which_the_service_does_not_start_is_found(doctor, private, settings, name, value):
    code, results = doctor(settings=replace(settings, **{name: value}))
    assert (code, states(results, "settings")) == (1, {"bad"})
    assert name in results["settings"][0]["found"]


def test_every_folder_of_tables_has_a_date():
    folders = {path.name for path in DATA.iterdir() if path.is_dir()}
    assert tables.bundled().keys() == folders - {"__pycache__"}


@pytest.mark.parametrize(("health", "state"), [("works", "ok"), ("denying", "warn"), ("cut_off", "warn")])
def test_the_dns_servers_are_examined(doctor, private, monkeypatch, health, state):
    monkeypatch.setattr(DnsResolver, "health", lambda *_: DnsHealth(health))
    monkeypatch.setattr(
        DnsResolver, "ask", lambda _, names, __: [DnsAnswer(DnsStatus.NXDOMAIN) for _ in names]
    )
    code, results = doctor("--recount")
    [found] = results["dns"]
    assert (code, found["state"]) == (0, state)
    assert ("AUDIENCE_DNS_SERVERS" in found["advice"]) == (state == "warn")


def test_unavailable_blacklists_are_a_warning(doctor, private, monkeypatch):
    monkeypatch.setattr(DnsResolver, "health", lambda *_: DnsHealth.CUT_OFF)
    monkeypatch.setattr(
        DnsResolver,
        "ask",
        lambda _, questions, __: [DnsAnswer(DnsStatus.UNAVAILABLE) for _ in questions],
    )
    code, results = doctor("--recount")
    assert code == 0
    assert states(results, "providers") == {"warn"}
    [found] = results["providers"]
    assert "AUDIENCE_DNS_SERVERS" in found["advice"]
