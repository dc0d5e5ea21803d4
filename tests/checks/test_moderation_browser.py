"""The proof in a real Chromium: what `clean` gives runs nothing, and what runs uncleaned is flagged `xss`."""

import pytest

from audience.checks.cleaning import clean
from audience.checks.moderation import judge
from audience.checks.reasons import ModerationReason
from tests.checks.chromium import browser, which_ran
from tests.checks.corpora import every_payload
from tests.conftest import program

CONTROL = 700
"""Payloads that must run uncleaned: a browser, or a test, in which nothing runs would prove nothing."""
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
    """The payloads that run as they are, in a page's text or, where they hold a quote, in an attribute."""
    quoted = [payload for payload in every_payload() if set(payload) & {'"', "'"}]
    as_text = which_ran(page, [in_text(payload) for payload in every_payload()])
    as_value = which_ran(page, [in_attributes(payload) for payload in quoted])
    return {every_payload()[index] for index in as_text} | {quoted[index] for index in as_value}


def test_hundreds_run_uncleaned(ran):
    assert len(ran) >= CONTROL


def test_none_runs_cleaned(page):
    safe = [clean(payload) for payload in every_payload()]
    running = which_ran(page, [in_text(f"<p>{text}</p>{in_attributes(text)}") for text in safe])
    assert [every_payload()[index] for index in sorted(running)] == []


def test_what_runs_is_flagged(ran):
    missed = [payload for payload in ran if ModerationReason.XSS not in judge(payload).reasons]
    assert len(missed) <= (1 - FLAGGED) * len(ran), missed
