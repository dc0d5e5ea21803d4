"""The limits of networks on the pages of a form: counting, event mode, and proxies."""

import re
from dataclasses import replace

import pytest

from audience.access.audit_log import COMMAND_LINE
from audience.answers.service import Answers
from audience.clock import DAY_MS
from audience.forms import forms
from audience.sign_ups import sign_ups
from storage.sign_ups.sign_ups import HELD, WAITING
from tests.pages.applicant import ZOE, hidden, solve
from tests.pages.visitor import heading, text


def test_without_script_the_button_counts_after_three_seconds_and_five_times_an_hour(applicant, still, later):
    step = applicant.ask()
    early = applicant.send(step, solution="")
    assert heading(early) == "One moment"
    assert hidden(early)["step"] == hidden(step)["step"]
    assert ("Wait three seconds" in early.text, "Wait three seconds" in step.text) == (True, False)
    assert applicant.all() == []
    for number in range(6):
        step = applicant.ask(f"zoe{number}@example.com")
        later(3_000)
        assert heading(applicant.send(step, solution="")) == "Check your inbox"
    made = applicant.all()
    assert [each.status for each in made] == [WAITING] * 5 + [HELD]
    assert made[-1].reason == "button"
    assert applicant.sign_up("solved@example.com").status == WAITING


def test_many_of_a_network_get_harder_challenges_and_then_wait(applicant):
    steps = [applicant.ask(f"zoe{number}@example.com") for number in range(100)]
    prefixes = [re.findall(r'data-prefix="(\w+)"', step.text) for step in steps]
    assert prefixes == [["00"]] * 20 + [["000"]] * 80
    crowded = applicant.ask()
    assert (crowded.status_code, heading(crowded)) == (429, "Wait a moment")
    assert int(crowded.headers["Retry-After"]) > 0
    assert "Many requests have come from your network" in text(crowded)
    assert applicant.get().status_code == 200
    for _ in range(100):
        applicant.send(steps[0], solution="1:00")
    assert applicant.send(steps[1]).status_code == 429
    assert applicant.all() == []


def test_in_event_mode_no_network_is_counted_until_the_day_is_over(applicant, later):
    forms.set_event_mode(applicant.site, applicant.form.id, True, COMMAND_LINE)
    asked = [applicant.ask(f"zoe{number}@example.com") for number in range(101)]
    assert {re.findall(r'data-prefix="(\w+)"', step.text)[0] for step in asked} == {"00"}
    later(4_000)
    for number in range(7):
        assert applicant.send(asked[number], "").status_code == 200
    assert {sign_up.status for sign_up in applicant.all()} == {WAITING}
    later(DAY_MS)
    for _ in range(100):
        applicant.ask()
    assert applicant.ask().status_code == 429


def test_event_mode_lifts_no_limit_of_a_mailbox_and_ends_by_hand(applicant):
    forms.set_event_mode(applicant.site, applicant.form.id, True, COMMAND_LINE)
    forms.set_event_mode(applicant.site, applicant.form.id, False, COMMAND_LINE)
    assert [applicant.ask().status_code for _ in range(101)][-1] == 429


def test_behind_an_unknown_proxy_no_network_is_counted(applicant):
    applicant.headers = {"X-Forwarded-For": "192.0.2.7"}
    assert {applicant.ask().status_code for _ in range(105)} == {200}
    assert 'data-prefix="00"' in applicant.ask().text


def prefixes_of_forwarded(applicant, number=22):
    """Those of the challenges that somebody gets who says that they forward."""
    applicant.headers = {"X-Forwarded-For": "192.0.2.7"}
    return [re.findall(r'data-prefix="(\w+)"', applicant.ask().text) for _ in range(number)]


def test_whoever_says_that_they_forward_is_counted_up_to_twenty_times_an_hour(applicant):
    applicant.address = "8.8.8.8"
    for _ in range(5):
        applicant.ask()
    assert prefixes_of_forwarded(applicant) == [["00"]] * 15 + [["000"]] * 5 + [["00"]] * 2


def test_beside_a_named_proxy_whoever_says_that_they_forward_is_counted(app, applicant):
    services, applicant.address = app.extensions["audience"], "8.8.8.8"
    named = replace(services.settings, trusted_proxies=("192.0.2.1",))
    app.extensions["audience"] = replace(services, settings=named)
    assert prefixes_of_forwarded(applicant) == [["00"]] * 20 + [["000"]] * 2


@pytest.mark.parametrize("address", ["8.8.8.8", "10.0.0.1"])
@pytest.mark.parametrize("before", [18, 20])
def test_sign_ups_through_an_unnamed_proxy_are_noted_after_twenty_forms(applicant, address, before):
    applicant.address = address
    prefixes_of_forwarded(applicant, before)
    assert applicant.sign_up().status == WAITING
    assert sign_ups.is_any_proxied() is (before == 20)


def test_the_country_is_kept_and_refuses_nobody(applicant, monkeypatch):
    asked = []

    def country_of(_, ip):
        asked.append(ip)
        return "NO"

    monkeypatch.setattr(Answers, "_country_of", country_of)
    data = {"email": ZOE}
    public = {"REMOTE_ADDR": "8.8.8.8"}
    step = applicant.http.post(applicant.path, data=data, environ_overrides=public)
    assert asked == []
    sent_step = hidden(step) | {"solution": solve(step)}
    applicant.http.post(f"{applicant.path}/send", data=sent_step, environ_overrides=public)
    assert (applicant.newest().country, applicant.newest().network) == ("NO", "8.8.8.0/24")
