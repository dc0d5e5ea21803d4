"""The instance's pepper: keyed hashes of secrets and of addresses that must not be kept."""

import hashlib
import hmac
import os
import secrets
from pathlib import Path

OCTETS = 32
FILE = "pepper"
_pepper = b""


class WrongPepper(ValueError):
    """The file is not a pepper; the message says what to do."""


def open(instance: Path) -> None:
    """Reads the pepper of an instance; makes it, 0600, when there is none. Raises `WrongPepper`."""
    global _pepper
    instance.mkdir(parents=True, exist_ok=True)
    file = instance / FILE
    if not file.exists():
        _make(file)
    _pepper = file.read_bytes()
    if len(_pepper) != OCTETS:
        raise WrongPepper(
            f"{file} must hold {OCTETS} octets: put the right file back, from a backup if need be"
        )


def put(instance: Path, octets: bytes) -> None:
    """Gives an instance another pepper, in one step."""
    _draft(instance, octets).replace(instance / FILE)


def _make(file: Path) -> None:
    """Written whole under another name first, so that two starts at once agree on one."""
    draft = _draft(file.parent, secrets.token_bytes(OCTETS))
    try:
        os.link(draft, file)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _draft(instance: Path, octets: bytes) -> Path:
    draft = instance / f"{FILE}-{os.getpid()}"
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as handle:
        handle.write(octets)
        handle.flush()
        os.fsync(handle.fileno())
    return draft


def digest(purpose: str, text: str) -> str:
    """HMAC-SHA256 in hexadecimal."""
    return hmac.new(_pepper, f"{purpose}\0{text}".encode(errors="surrogatepass"), hashlib.sha256).hexdigest()


def address_hash(site_id: int, email_key: str) -> str:
    return digest(f"address {site_id}", email_key)
