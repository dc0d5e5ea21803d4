"""The instance's pepper: keyed hashes of secrets, and of addresses that must not be stored."""

import hmac
import secrets
from collections.abc import Callable
from hashlib import blake2b, sha256
from pathlib import Path

from audience.privacy import secret_files

PEPPER_BYTES = 32
FILE = "pepper"
_pepper = b""


class WrongPepper(ValueError):
    """The pepper file has the wrong size; the message gives a remedy."""


def open(file: Path, may_make: bool = True) -> None:
    """Reads the pepper of an instance, which this process then uses. Raises `WrongPepper`.

    With `may_make`, creates a missing pepper.
    """
    global _pepper
    if may_make and not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        secret_files.write_once(file, secrets.token_bytes(PEPPER_BYTES))
    try:
        _pepper = file.read_bytes()
    except FileNotFoundError:
        raise WrongPepper(f"{file} is missing: put the pepper of this instance there") from None
    if len(_pepper) != PEPPER_BYTES:
        raise WrongPepper(f"{file} must have {PEPPER_BYTES} bytes: restore it, for example from a backup")


def read(file: Path) -> bytes | None:
    """The pepper in a file; None if the file is missing. The pepper that this process uses stays."""
    return file.read_bytes() if file.exists() else None


def put(file: Path, pepper: bytes) -> None:
    """Replaces the pepper of an instance, atomically."""
    secret_files.write(file, pepper)


def check_value(pepper: bytes | None = None) -> str:
    """A value that differs between peppers and does not reveal them; by default, for the open pepper."""
    return digest("pepper", "check", pepper)


def digest(purpose: str, text: str, pepper: bytes | None = None) -> str:
    """The HMAC-SHA256 of a text in hexadecimal, by default with the pepper that this process has opened.

    `purpose` keeps digests of different uses apart.
    """
    key = _pepper if pepper is None else pepper
    return hmac.digest(key, f"{purpose}\0{text}".encode(errors="surrogatepass"), "sha256").hex()


def digester(purpose: str, key: bytes, prefix: str) -> Callable[[str], str]:
    """A function that makes digests of texts with a key of at most 64 bytes, beginning with `prefix`.

    The key is prepared once, so that a digest takes a third of the time of `digest`.
    """
    inner, outer = (sha256(bytes(octet ^ pad for octet in key.ljust(64, b"\0"))) for pad in (0x36, 0x5C))
    inner.update(f"{purpose}\0".encode())

    def digest_text(text: str) -> str:
        within, around = inner.copy(), outer.copy()
        within.update(text.encode(errors="surrogatepass"))
        around.update(within.digest())
        return prefix + around.hexdigest()

    return digest_text


def passing_digest(text: str) -> bytes:
    """A digest with the open pepper, for values that are kept briefly; ten times as fast as `digest`."""
    return blake2b(text.encode(errors="surrogatepass"), key=_pepper).digest()


def address_hash(site_id: int, email_key: str) -> str:
    """The hash of an address by the first scheme, see `audience.access.site_keys`."""
    return digest(f"address {site_id}", email_key)
