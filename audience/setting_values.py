"""Parsers of setting values, from text or TOML. Each raises `ValueError` with what the value must be."""

import contextlib
import datetime as dt
import ipaddress
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

MIN_TOKEN_LENGTH = 16
TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be text")
    return value


def flag(value: Any) -> bool:
    """Whether a setting is on. Raises `ValueError` if it is neither on nor off."""
    word = str(value).lower()
    if word not in (*TRUE, *FALSE):
        raise ValueError("must be true or false")
    return word in TRUE


def names(value: Any) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise ValueError("must be a comma-separated list")
    return tuple(part.strip() for part in parts if part.strip())


def folder(value: Any) -> Path:
    return Path(text(value)).expanduser().absolute()


def networks(value: Any) -> tuple[str, ...]:
    try:
        return tuple(
            without_mapping(name) for name in names(value) if ipaddress.ip_network(name, strict=False)
        )
    except ValueError as error:
        raise ValueError("must be a comma-separated list of IP addresses and networks") from error


@lru_cache(maxsize=1024)
def without_mapping(name: str) -> str:
    """An IPv4 address or network in plain form: `127.0.0.1` for `::ffff:127.0.0.1`, of sockets for both
    families.

    Any other text is unchanged.
    """
    address, slash, length = name.partition("/")
    try:
        mapped = ipaddress.IPv6Address(address).ipv4_mapped
        bits = int(length or 128) - 96
    except ValueError:
        return name
    if mapped is None or bits < 0:
        return name
    return f"{mapped}/{bits}" if slash else str(mapped)


def integer(minimum: int, maximum: int) -> Callable[[Any], int]:
    def parse(value: Any) -> int:
        with contextlib.suppress(ValueError):
            number = value if type(value) is int else int(text(value))
            if minimum <= number <= maximum:
                return number
        raise ValueError(f"must be a whole number from {minimum} to {maximum}")

    return parse


def time_of_day(value: Any) -> str:
    with contextlib.suppress(ValueError):
        if not value or dt.time.fromisoformat(text(value)).isoformat("minutes") == value:
            return text(value)
    raise ValueError("must be empty or a time of day like 03:30")


def decimal(minimum: float, maximum: float) -> Callable[[Any], float]:
    def parse(value: Any) -> float:
        with contextlib.suppress(ValueError):
            number = float(value if type(value) in (int, float) else text(value))
            if minimum <= number <= maximum:
                return number
        raise ValueError(f"must be a number from {minimum:g} to {maximum:g}")

    return parse


def url(example: str, *schemes: str) -> Callable[[Any], str]:
    def parse(value: Any) -> str:
        with contextlib.suppress(ValueError):
            parts = urlsplit(text(value))
            located = parts.path if parts.scheme == "unix" else parts.hostname and parts.port != 0
            if not value or (parts.scheme in schemes and located and " " not in value):
                return text(value)
        raise ValueError(f"must be empty or like {example}")

    return parse


def smtp_url(value: Any) -> str:
    """The URL of a mail server. A public IP address needs encryption; names are looked up at sending."""
    parts = urlsplit(url("smtps://USER@HOST or smtp+plain://127.0.0.1", "smtps", "smtp", "smtp+plain")(value))
    if parts.password is not None:
        raise ValueError("must be without a password: AUDIENCE_SMTP_PASSWORD_FILE names a file with it")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError(
            "must be like SCHEME://HOST, with USER@ before and :PORT after the host if needed, and no more"
        )
    if parts.scheme == "smtp+plain" and (parts.username or _is_global(parts.hostname or "")):
        raise ValueError("must be smtps:// or smtp:// to sign in, and on the internet")
    return text(value)


def _is_global(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_global
    return False


def rate(value: Any) -> str:
    count, slash, unit = text(value).partition("/")
    digits = count.isascii() and count.isdigit()
    if not (slash and digits and int(count) and unit in ("second", "minute", "hour", "day")):
        raise ValueError("must be like 100/minute (second, minute, hour, day)")
    return text(value)


def optional_rate(value: Any) -> str:
    return rate(value) if value else text(value)


def token(value: Any) -> str:
    if value and len(text(value)) < MIN_TOKEN_LENGTH:
        raise ValueError(f"must be empty or {MIN_TOKEN_LENGTH} characters or more")
    return text(value)


def level(value: Any) -> str:
    if text(value).lower() not in ("info", "warning", "error"):
        raise ValueError("must be info, warning or error")
    return text(value).lower()


def log_format(value: Any) -> str:
    if text(value).lower() not in ("", "text", "json"):
        raise ValueError("must be empty, text or json")
    return text(value).lower()
