"""The step of a form: one signed text with a challenge in it, good for a while, for one network."""

import json

import altcha
import pytest
from itsdangerous import URLSafeSerializer

from audience import clock
from audience.access import sites
from audience.clock import MINUTE_MS
from audience.sign_ups import steps
from audience.sign_ups.steps import FormStep, StepOutcome
from storage import database
from storage.sign_ups import alarms as stored_alarms
from storage.sign_ups.alarms import Alarm
from tests.console.conftest import later

__all__ = ["later"]

NETWORK = "192.0.2.0/24"
TYPED = FormStep(1, "Zoë@example.com", {"first_name": "Zoë"}, "de", "https://example.com", 2, False, NETWORK)


@pytest.fixture
def site(app):
    return sites.create("Harbour Letters")


def solve(step):
    found = altcha.solve_challenge(altcha.Challenge.from_dict(step.challenge))
    assert found is not None
    return f"{found.counter}:{found.derived_key}"


def test_a_step_is_read_as_it_was_signed(site):
    step = steps.begin(site, TYPED)
    assert steps.read(site, 1, steps.sign(site, step)) == step
    assert step._replace(made_at=0, challenge={}) == TYPED
    assert (step.parameters["cost"], step.parameters["keyPrefix"], step.is_hard) == (5_000, "00", False)
    assert steps.begin(site, TYPED, is_hard=True).is_hard
    with database.write(site.id):
        stored_alarms.put(site.id, Alarm(held_at=1))
    assert steps.begin(site, TYPED).is_hard


def test_a_step_of_another_form_or_site_or_hand_is_none(site):
    text = steps.sign(site, steps.begin(site, TYPED))
    other = steps.sign(sites.create("Another"), steps.begin(site, TYPED))
    forged = URLSafeSerializer(b"x").dumps(TYPED)
    assert steps.read(site, 2, text) is None
    of_before = str(steps._serializer(site).dumps([*TYPED, {}]))
    for wrong in ("", "x", "é", of_before, text[:-1], text + "x", text * 9, other, forged, f".{text}"):
        assert steps.read(site, 1, wrong) is None


def test_the_text_says_nothing_that_the_visitor_has_not_typed(site):
    text = steps.sign(site, steps.begin(site, TYPED))
    serializer = URLSafeSerializer(b"x")
    _, payload = serializer.loads_unsafe(text)
    assert payload[:8] == json.loads(json.dumps(TYPED[:8]))
    assert set(payload[9]["parameters"]) == {"algorithm", "cost", "keyLength", "keyPrefix", "nonce", "salt"}


def test_a_solved_challenge_counts_for_its_step_alone(site):
    step, other = steps.begin(site, TYPED), steps.begin(site, TYPED)
    solution = solve(step)
    assert steps.judge(site, step, NETWORK, solution) is StepOutcome.SOLVED
    wrong_ones = ("x", "1:", f"{solution}0", f"-{solution}", "٣:00", "9" * 5_000, "4294967296:00")
    for wrong in (solve(other), *wrong_ones):
        assert steps.judge(site, step, NETWORK, wrong) is StepOutcome.AGAIN, wrong
    eased = {**step.challenge, "parameters": {**step.parameters, "keyPrefix": ""}}
    forged = step._replace(challenge=eased)
    assert steps.judge(site, forged, NETWORK, solve(forged)) is StepOutcome.AGAIN


def test_a_step_is_good_for_a_quarter_of_an_hour_and_one_network(site, later):
    step = steps.begin(site, TYPED)
    solution = solve(step)
    assert steps.judge(site, step, "198.51.100.0/24", solution) is StepOutcome.AGAIN
    later(14 * MINUTE_MS)
    assert steps.judge(site, step, NETWORK, solution) is StepOutcome.SOLVED
    later(MINUTE_MS + 1_000)
    assert steps.judge(site, step, NETWORK, solution) is StepOutcome.AGAIN
    assert steps.judge(site, step, NETWORK, "") is StepOutcome.AGAIN


def test_the_button_counts_after_three_seconds(site, monkeypatch):
    step = steps.begin(site, TYPED)
    for after, outcome in ((2_999, StepOutcome.EARLY), (3_000, StepOutcome.PRESSED)):
        monkeypatch.setattr(clock, "now_ms", lambda at=step.made_at + after: at)
        assert steps.judge(site, step, NETWORK, "") is outcome
