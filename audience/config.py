"""Every setting, once: name, default, meaning.

The environment (`AUDIENCE_NAME`) overrides `config.toml` in the instance folder (`name = value`), which
overrides the default. An unknown name or a malformed value raises `SettingError`.
"""

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from audience.privacy import secret_files
from audience.setting_values import (
    MIN_TOKEN_LENGTH,
    decimal,
    flag,
    folder,
    integer,
    level,
    log_format,
    names,
    networks,
    optional_rate,
    rate,
    smtp_url,
    text,
    time_of_day,
    token,
    url,
)

PREFIX = "AUDIENCE_"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})  # as in a URL
NOT_SETTINGS = frozenset({"AUDIENCE_REQUIRE", "AUDIENCE_RECORD"})  # read by the test suite only

EU_EFTA = "AT BE BG HR CY CZ DK EE FI FR DE GR HU IS IE IT LV LI LT LU MT NL NO PL PT RO SK SI ES SE CH"
ADVANCED = "US CA GB AU NZ JP KR SG HK MO TW IL AD SM PR"  # economies, by the IMF, beside those
TIER1_COUNTRIES = tuple(f"{ADVANCED} {EU_EFTA}".split())

CANARY_DOMAINS = ("gmail.com", "outlook.com", "yahoo.com", "icloud.com")
CANARY_ZONES = ("gmail.com", "yahoo.com")


class SettingError(Exception):
    """An unknown or malformed setting; the message names it and the reason."""


def setting(default: Any, parse: Callable[[Any], Any], meaning: str) -> Any:
    return field(default=default, metadata={"parse": parse, "meaning": meaning})


@dataclass(frozen=True, kw_only=True)
class Settings:
    instance: Path = setting(
        Path("instance").absolute(), folder, "folder for the database, secrets and sockets"
    )
    host: str = setting("127.0.0.1", text, "IP address to listen on")
    port: int = setting(8000, integer(1, 65535), "port to listen on")
    public_url: str = setting(
        "",
        url("https://people.example", "http", "https"),
        "public base URL of the service; empty: http://HOST:PORT",
    )
    database_url: str = setting(
        "", text, "sqlite:///PATH or postgresql://USER@HOST/DATABASE; empty: sqlite:///INSTANCE/audience.db"
    )
    database_password_file: str = setting("", text, "file with the password of the database user")
    database_read_url: str = setting(
        "", text, "replica from which exports, reports, segment counts and changes are read; empty: none"
    )
    pepper_file: str = setting("", text, "file with the pepper; empty: INSTANCE/pepper")
    redis_url: str = setting(
        "",
        url("redis://localhost:6379/0", "redis", "rediss", "unix"),
        "Redis URL; empty: an embedded Redis",
    )
    web_workers: int = setting(2, integer(1, 64), "number of web processes")
    web_threads: int = setting(64, integer(8, 4096), "maximum concurrent requests per web process")
    workers: int = setting(1, integer(1, 16), "number of import worker processes")
    body_timeout: float = setting(30.0, decimal(0.1, 3600), "seconds within which a request body must arrive")
    max_body_bytes: int = setting(8 * 2**20, integer(1024, 2**30), "maximum size of a JSON body in bytes")
    import_max_bytes: int = setting(2**30, integer(1024, 2**40), "maximum size of a file import in bytes")
    import_inline_rows: int = setting(1, integer(0, 1000), "imports of at most this many rows skip the queue")
    database_timeout: float = setting(3.5, decimal(0.1, 600), "seconds to wait for the database write lock")
    database_connections: int = setting(64, integer(1, 256), "maximum open database connections per process")
    allow_faulty_sqlite: bool = setting(
        False, flag, "start even on a SQLite with the WAL-reset bug (3.7.0 to 3.51.2)"
    )
    trusted_proxies: tuple[str, ...] = setting(
        (), networks, "IP addresses and networks of proxies whose X-Forwarded-For is trusted"
    )
    auth_failures: str = setting(
        "30/minute",
        rate,
        "limit of failed authentications per IP address (IPv6: per /64), and per IP address and key",
    )
    require_two_factor: bool = setting(
        False,
        flag,
        "require operators to set up two-factor sign-in before they can see the rest of the console",
    )
    audit_log_days: int = setting(400, integer(1, 36_500), "days for which the audit log is kept")
    consent_log_days: int = setting(
        400, integer(1, 36_500), "days for which unsubscribes are logged for a restore"
    )
    changes_days: int = setting(30, integer(1, 36_500), "days for which the record of changes is kept")
    backup_at: str = setting(
        "", time_of_day, "time of day (UTC) at which a worker makes a backup, such as 03:30; empty: none"
    )
    backup_days: int = setting(7, integer(1, 366), "days for which the last daily backup of each day is kept")
    backup_weeks: int = setting(
        4, integer(0, 520), "weeks for which the last daily backup of each week is kept"
    )
    backup_folder: str = setting("", text, "existing folder for backups; empty: INSTANCE/backups")
    backup_command: str = setting(
        "", text, "shell command that runs after each backup of a worker; $BACKUP_FILE names its file"
    )
    webhook_private_addresses: bool = setting(
        False, flag, "allow webhooks to private addresses and without TLS"
    )
    smtp_url: str = setting(
        "",
        smtp_url,
        "mail server that takes confirmations: smtps://USER@HOST, smtp://USER@HOST:587 (with STARTTLS), "
        "smtp+plain://HOST (loopback and private addresses); empty: none are sent",
    )
    smtp_password_file: str = setting("", text, "file with the password of the mail server's user")
    confirmations_per_hour: int = setting(
        300,
        integer(1, 1_000_000),
        "number of confirmation emails that a site sends in an hour; more are held",
    )
    rate_limit_fetch: str = setting(
        "", optional_rate, "rate limit per key of /v1/fetch, such as 100/minute; empty: none"
    )
    rate_limit_batch: str = setting("", optional_rate, "rate limit per key of /v1/batch")
    rate_limit_experimental: str = setting("", optional_rate, "rate limit per key of /v1/experimental")
    rate_limit_stats: str = setting("", optional_rate, "rate limit per key of /v1/stats")
    ready_import_age: float = setting(
        900.0, decimal(1, 1e9), "age in seconds of a waiting import at which /readyz fails"
    )
    ready_disk_bytes: int = setting(
        2**28, integer(0, 2**50), "free disk space in bytes below which /readyz fails"
    )
    metrics_token: str = setting(
        "",
        token,
        f"bearer token for /metrics, {MIN_TOKEN_LENGTH} characters or more; empty: local requests only",
    )
    log_level: str = setting("info", level, "minimum log level: info, warning or error")
    log_client_request_ids: bool = setting(
        False,
        flag,
        "log the X-Request-Id that a client sends; it may contain more about people than our own log does",
    )
    log_format: str = setting(
        "", log_format, "form of the log, text or json; empty: text on a terminal, else json"
    )
    geo_database: str = setting("", text, "MaxMind-format .mmdb file to use instead of the bundled table")
    dns_servers: tuple[str, ...] = setting(
        (), names, "DNS resolvers, as ADDRESS or ADDRESS:PORT; empty: the system's"
    )
    dns_timeout: float = setting(
        2.0, decimal(0.1, 30), "timeout in seconds for all DNS queries of one answer"
    )
    dns_canary_domains: tuple[str, ...] = setting(
        CANARY_DOMAINS, names, "mail domains that are looked up to check the DNS servers; empty: none"
    )
    dns_canary_zones: tuple[str, ...] = setting(
        CANARY_ZONES, names, "unsigned zones in which random names are looked up to check the DNS servers"
    )
    spamhaus_dqs_key: str = setting("", text, "Spamhaus Data Query Service key")
    abusix_key: str = setting("", text, "abusix Mail Intelligence key")
    tier1_countries: tuple[str, ...] = setting(
        TIER1_COUNTRIES, names, "country codes whose IP addresses pass validation"
    )
    validation_threshold: float = setting(0.5, decimal(0, 1), "minimum score of a valid address")
    allow_addresses: tuple[str, ...] = setting(
        (), names, "e-mail addresses and domains that always pass validation"
    )
    deny_addresses: tuple[str, ...] = setting(
        (), names, "e-mail addresses and domains that never pass validation"
    )

    @property
    def base_url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url.rstrip("/") or f"http://{host}:{self.port}"

    @property
    def console_url(self) -> str:
        """The URL of the console for browsers: the public one or, if that is not encrypted, a local one."""
        public = urlsplit(self.base_url)
        if public.scheme == "https" or public.hostname in LOOPBACK:
            return self.base_url
        return f"http://localhost:{self.port}{public.path}"

    @property
    def pepper(self) -> Path:
        return Path(self.pepper_file) if self.pepper_file else self.instance / "pepper"

    @property
    def backups(self) -> Path:
        return Path(self.backup_folder) if self.backup_folder else self.instance / "backups"

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite:///{self.instance / 'audience.db'}"


SECRET = frozenset(
    {"database_url", "database_read_url", "redis_url", "metrics_token", "spamhaus_dqs_key", "abusix_key"}
)
PARSERS: dict[str, Callable[[Any], Any]] = {item.name: item.metadata["parse"] for item in fields(Settings)}


def load(environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this process. Raises `SettingError`."""
    return Settings(
        **{name: _parse(name, value, origin) for name, (value, origin) in _sources(environ).items()}
    )


def in_effect(environ: Mapping[str, str] = os.environ) -> dict[str, tuple[Any, str]]:
    """The (value as JSON, origin) of each setting, by name. Raises `SettingError`."""
    settings, sources = load(environ), _sources(environ)
    shown = {name: getattr(settings, name) for name in PARSERS}
    return {
        name: (
            list(value) if isinstance(value, tuple) else str(value) if isinstance(value, Path) else value,
            sources[name][1] if name in sources else "default",
        )
        for name, value in shown.items()
    }


def _sources(environ: Mapping[str, str]) -> dict[str, tuple[Any, str]]:
    """The (value, origin) of each setting that is set, by name."""
    env = {
        key.removeprefix(PREFIX).lower(): (value, f"environment variable {key}")
        for key, value in environ.items()
        if key.startswith(PREFIX) and key not in NOT_SETTINGS
    }
    instance, origin = env.get("instance", ("instance", "default"))
    file = _parse("instance", instance, origin) / "config.toml"
    return _from_file(file) | env


def _from_file(file: Path) -> dict[str, tuple[Any, str]]:
    """The (value, origin) of a file's settings, by name; empty if there is no file. Raises `SettingError`."""
    if another := secret_files.foreign_owner(file):
        raise SettingError(another)
    try:
        table = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except NotADirectoryError as error:
        raise SettingError(f"{file.parent} is no folder: set {PREFIX}INSTANCE to one") from error
    except PermissionError as error:
        raise SettingError(
            f"the instance folder {file.parent} cannot be read: run this command as the user that runs "
            f"Audience, or set {PREFIX}INSTANCE to a folder of yours"
        ) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingError(f"{file} cannot be read: {error}") from error
    if "instance" in table:
        raise SettingError(
            f"{file}: leave `instance` out of this file, because it names the folder of the file; set "
            f"{PREFIX}INSTANCE instead"
        )
    return {name: (value, str(file)) for name, value in table.items()}


def _parse(name: str, value: Any, origin: str) -> Any:
    if name not in PARSERS:
        raise SettingError(f"{origin}: there is no setting {name}; .env.example lists all settings")
    try:
        return PARSERS[name](value)
    except (ValueError, TypeError) as error:
        raise SettingError(f"{origin}: {name} {error}") from error
