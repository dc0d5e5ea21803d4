"""Passwords of operators: how they are stored, and which are refused."""

import hashlib
import hmac
import secrets
import threading
from functools import cache
from importlib.resources import files

from audience.errors import Refused, ServiceUnavailable
from schemas.values import FieldError

MIN_LENGTH = 12
MAX_LENGTH = 1_000
COST, BLOCK_SIZE, PARALLEL = 2**14, 8, 5  # OWASP's cheat sheet on password storage: scrypt
MAX_MEMORY_BYTES = 2**26
SALT_BYTES = 16
MAX_RUNS = 2  # at a time in a process: each takes 16 MiB and a core
WAIT_SECONDS = 2.0

TOO_SHORT = f"Choose a password of at least {MIN_LENGTH} characters; several words make a good one."
TOO_LONG = f"Choose a password of at most {MAX_LENGTH} characters."
OWN_ADDRESS = "Choose another password: this one is your address, which others know."
COMMON = "Choose another password: this one is among the first that attackers try."
REFUSED = "The password was refused: nothing was changed."
BUSY = "Too many people are signing in at this moment: try again in a few seconds."

_runs = threading.BoundedSemaphore(MAX_RUNS)


def check(password: str, field: str = "password", email: str = "") -> None:
    """Raises `Refused` for a password that is too short or long, common, or the operator's address."""
    if len(password) < MIN_LENGTH:
        raise Refused(REFUSED, [FieldError(field, TOO_SHORT)])
    if len(password) > MAX_LENGTH:
        raise Refused(REFUSED, [FieldError(field, TOO_LONG)])
    if password.casefold() in _common():
        raise Refused(REFUSED, [FieldError(field, COMMON)])
    if password.strip().casefold() in (email.casefold(), email.casefold().partition("@")[0]):
        raise Refused(REFUSED, [FieldError(field, OWN_ADDRESS)])


def hash_password(password: str) -> str:
    """A salted scrypt hash to store. Raises `ServiceUnavailable`."""
    salt = secrets.token_bytes(SALT_BYTES)
    return f"{salt.hex()}${_scrypt(password, salt).hex()}"


def matches(password: str, stored: str) -> bool:
    """Whether a password matches a stored hash. Raises `ServiceUnavailable`.

    If `stored` is empty, no password matches, after the same time.
    """
    salt, _, digest = (stored or f"{'00' * SALT_BYTES}$").partition("$")
    return hmac.compare_digest(_scrypt(password, bytes.fromhex(salt)).hex(), digest)


def _scrypt(password: str, salt: bytes) -> bytes:
    """The hash of a password. Raises `ServiceUnavailable` if too many are being computed."""
    if not _runs.acquire(timeout=WAIT_SECONDS):
        raise ServiceUnavailable(BUSY)
    try:
        return hashlib.scrypt(
            password[: MAX_LENGTH + 1].encode(errors="surrogatepass"),
            salt=salt, n=COST, r=BLOCK_SIZE, p=PARALLEL, maxmem=MAX_MEMORY_BYTES,
        )  # fmt: skip
    finally:
        _runs.release()


@cache
def _common() -> frozenset[str]:
    text = (files("audience.data") / "operators" / "common_passwords.txt").read_text("utf-8")
    return frozenset(line for line in text.splitlines() if line)
