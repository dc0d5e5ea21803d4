"""In a real Chromium: no cleaned payload runs, and every payload that runs uncleaned is flagged `xss`."""

import pytest

from audience.answers.moderation.cleaning import clean
from audience.answers.moderation.moderation import moderate
from audience.answers.moderation.reasons import ModerationReason
from tests.answers.chromium import browser, which_ran
from tests.answers.corpora import all_payloads
from tests.conftest import program

# Payloads that must run uncleaned: if none runs, the browser or the test is broken.
MIN_RUNNING = 700
FLAGGED = 0.995


def in_text(content: str) -> str:
    return f"<!doctype html><body>{content}"


def in_attributes(content: str) -> str:
    return f"<!doctype html><body><p title=\"{content}\">x</p><p title='{content}'>x</p>"


@pytest.fixture(scope="module")
def page():
    with browser(program("chromium")) as page:
        yield page


@pytest.fixture(scope="module")
def ran(page):
    """The payloads that run uncleaned, in a page's text or, with a quote, in an attribute."""
    quoted = [payload for payload in all_payloads() if set(payload) & {'"', "'"}]
    as_text = which_ran(page, [in_text(payload) for payload in all_payloads()])
    as_value = which_ran(page, [in_attributes(payload) for payload in quoted])
    return {all_payloads()[index] for index in as_text} | {quoted[index] for index in as_value}


def test_hundreds_run_uncleaned(ran):
    assert len(ran) >= MIN_RUNNING


def test_none_runs_cleaned(page):
    safe = [clean(payload) for payload in all_payloads()]
    running = which_ran(page, [in_text(f"<p>{text}</p>{in_attributes(text)}") for text in safe])
    assert [all_payloads()[index] for index in sorted(running)] == []


def test_what_runs_is_flagged(ran):
    missed = [payload for payload in ran if ModerationReason.XSS not in moderate(payload).reasons]
    assert len(missed) <= (1 - FLAGGED) * len(ran), missed
