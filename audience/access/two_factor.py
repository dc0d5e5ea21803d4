"""The codes of two-factor sign-in: those of an operator's app (RFC 6238), and recovery codes.

Of the secret only a nonce is stored: the secret is made from it with the pepper. Functions take that nonce.
"""

import base64
import json
import secrets

from pyotp import TOTP
from pyotp.exceptions import OTPVerificationError

from audience import clock
from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.privacy import pepper
from schemas.values import compact_json
from storage.access import operators as stored
from storage.access.operators import ConsoleOperator

SECRET_BYTES, RECOVERY_BYTES = 20, 10
RECOVERY_CODES = 10
GROUP = 4  # characters


def new_nonce(session_token: str) -> str:
    """The nonce for a secret that is set up in a session: the same until that ends."""
    return pepper.digest("two-factor set-up", session_token)


def secret(nonce: str) -> str:
    """The secret in base 32, as apps take it."""
    return base64.b32encode(bytes.fromhex(pepper.digest("two-factor", nonce))[:SECRET_BYTES]).decode()


def uri(nonce: str, email: str, issuer: str) -> str:
    """The secret as an `otpauth` link."""
    return TOTP(secret(nonce)).provisioning_uri(name=email, issuer_name=issuer)


def grouped(text: str, separator: str) -> str:
    return separator.join(text[start : start + GROUP] for start in range(0, len(text), GROUP))


def find_step(code: str, nonce: str) -> int:
    """The 30-second step of a code: the present one, that before or that after; 0 if the code is wrong."""
    totp, seconds = TOTP(secret(nonce)), clock.now_ms() // 1000
    try:
        return totp.verify_and_get_timecode(_plain(code), for_time=seconds, valid_window=1)
    except OTPVerificationError:
        return 0


def new_recovery_codes(nonce: str) -> tuple[list[str], str]:
    """Ten recovery codes, and their hashes as they are stored."""
    codes = [base64.b32encode(secrets.token_bytes(RECOVERY_BYTES)).decode() for _ in range(RECOVERY_CODES)]
    return [grouped(code, "-") for code in codes], compact_json([_hash(nonce, code) for code in codes])


def count_recovery_codes(operator: ConsoleOperator) -> int:
    return len(json.loads(operator.recovery_codes))


def spend(operator: ConsoleOperator, code: str, client_network: str) -> bool:
    """Whether a code counts, once, in the caller's transaction. No code counts after one of a later step."""
    nonce, hashes = operator.two_factor, json.loads(operator.recovery_codes)
    step, code_hash = find_step(code, nonce), _hash(nonce, _plain(code))
    if step > operator.code_step:
        return stored.set_two_factor(operator, nonce, step, operator.recovery_codes)
    if code_hash not in hashes:
        return False
    hashes.remove(code_hash)
    is_first = stored.set_two_factor(operator, nonce, operator.code_step, compact_json(hashes))
    if is_first:
        audit_log.record(Actor(operator.email, client_network), "recovery code used")
    return is_first


def _plain(code: str) -> str:
    """A code as it was typed, without spaces and hyphens, in capitals."""
    return "".join(code.split()).replace("-", "").upper()


def _hash(nonce: str, recovery_code: str) -> str:
    return pepper.digest("recovery code", f"{nonce} {recovery_code}")
