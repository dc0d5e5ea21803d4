"""Codes of two-factor sign-in: each counts once, whoever else writes, and what the secret depends on."""

import base64

import pytest

from audience import clock
from audience.access import operators, sign_in, two_factor
from audience.access.audit_log import COMMAND_LINE, page
from audience.privacy import pepper
from storage import database
from tests.two_factor import PASSWORD, code_of, turn_on, waiting

ANN = "ann@example.com"
RFC_SECRET = base64.b32encode(b"12345678901234567890").decode()


@pytest.fixture
def turned_on(app):
    operators.add(ANN, True, {}, COMMAND_LINE)
    return turn_on(ANN)


@pytest.mark.parametrize("is_recovery", [False, True])
def test_a_code_counts_for_one_of_two_who_read_the_same(turned_on, is_recovery):
    """As with two processes between whose reads and writes nothing excludes the other."""
    secret, recovery_codes = turned_on
    code, operator = recovery_codes[0] if is_recovery else code_of(secret, 1), operators.get(ANN)
    with database.write(database.SHARED):
        assert [two_factor.spend(operator, code, "") for _ in range(2)] == [True, False]
    assert [entry.act for entry in page(None)].count("recovery code used") == is_recovery


@pytest.mark.parametrize(
    ("seconds", "code"), [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")]
)
def test_codes_are_those_of_the_rfc(app, monkeypatch, seconds, code):
    monkeypatch.setattr(clock, "now_ms", lambda: seconds * 1000)
    monkeypatch.setattr(two_factor, "secret", lambda _: RFC_SECRET)
    assert two_factor.find_step(code, "") == seconds // 30


def test_another_operator_nonce_or_pepper_has_another_secret(app, monkeypatch):
    secrets = [two_factor.secret("a"), two_factor.secret("b")]
    monkeypatch.setattr(pepper, "_pepper", b"x" * pepper.PEPPER_BYTES)
    assert len({*secrets, two_factor.secret("a")}) == 3
    assert len(base64.b32decode(secrets[0])) == 20


def test_a_code_of_another_operator_is_wrong(turned_on):
    operators.add("bob@example.com", False, {}, COMMAND_LINE)
    secret, recovery_codes = turn_on("bob@example.com")
    for code in (code_of(secret, 1), recovery_codes[0]):
        assert sign_in.with_code(waiting(ANN), code, False, "") is None


def test_a_clock_that_went_back_refuses_codes_and_takes_recovery_codes(turned_on, monkeypatch):
    secret, recovery_codes = turned_on
    now = clock.now_ms() - 3_600_000
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    assert sign_in.with_code(waiting(ANN), code_of(secret), False, "") is None
    assert sign_in.with_code(waiting(ANN), recovery_codes[0], False, "")
    assert operators.signed_in(sign_in.with_password(ANN, PASSWORD, False, "") or "") is None
