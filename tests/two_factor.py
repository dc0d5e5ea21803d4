"""An operator with two-factor sign-in, and the codes of the app."""

import re
from typing import Any

import pyotp

from audience import clock
from audience.access import operators, sign_in
from audience.access.audit_log import COMMAND_LINE

PASSWORD = "a heron stands in the reeds"
PAGE = "/account/two-factor"
FORM = {"email": "ann@example.com", "password": PASSWORD}
STEP_MS = 30_000
RECOVERY_CODE = re.compile(r"\b(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}\b")


def code_of(secret: str, steps: int = 0) -> str:
    """The code that an app shows, or the one so many steps later."""
    return pyotp.TOTP(secret).at(clock.now_ms() // 1000, counter_offset=steps)


def turn_on(email: str) -> tuple[str, list[str]]:
    """Sets an operator's password, and turns on two-factor sign-in. Returns (secret, recovery codes)."""
    session = sign_in.set_password_with_link(operators.reset(email, COMMAND_LINE), PASSWORD, "")
    operator = operators.signed_in(session)
    assert operator is not None
    secret = sign_in.two_factor_set_up(operator, session, "Audience").secret.replace(" ", "")
    return secret, sign_in.turn_on_two_factor(operator, session, PASSWORD, code_of(secret), "")[1]


def waiting(email: str) -> str:
    """The token of a sign-in that waits for its code."""
    token = sign_in.with_password(email, PASSWORD, False, "")
    assert token is not None
    assert sign_in.awaiting_email(token)
    return token


def secret_on(response: Any) -> str:
    """The secret that the page shows, without its blanks."""
    [key] = re.findall(r"(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}", response.text)
    return str(key).replace(" ", "")
