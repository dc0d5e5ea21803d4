"""The package indexes that pip and npm are configured with on this machine, read from their own settings."""

import configparser
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from audience.errors import Refused

UNSET = "{client} has no index configured: set {remedy}, and run the command again."
NOT_HTTPS = "{client} is configured with an index that is not HTTPS: set {remedy} to an https:// URL."
UNREADABLE = "{client}'s configuration cannot be read: {error}"
PIP = "PIP_INDEX_URL, or `index-url` in pip.conf"
NPM = "npm_config_registry, or `registry` in .npmrc"


class Index(NamedTuple):
    """A package index. `url` ends in a slash, and may contain user and password.

    `authority` is a file of certificates; if empty, those that this machine trusts are used.
    """

    url: str
    authority: str = ""

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""


def pip_indexes() -> list[Index]:
    """pip's index, and its extra indexes with HTTPS. Raises `Refused` without an index with HTTPS."""
    values = _pip_values()
    first, *more = (values.get("index-url", ""), *values.get("extra-index-url", "").split())
    further = [package for package in more if package.startswith("https://")]
    return [
        Index(_https("pip", first, PIP), values.get("cert", "")),
        *(Index(_slash(url)) for url in further),
    ]


def npm_index(package: str) -> Index:
    """npm's index for a package: that of its scope, else the general one. Raises `Refused` without HTTPS."""
    values = _npm_values()
    scope = package.partition("/")[0]
    url = values.get(f"{scope}:registry") or values.get("registry", "")
    return Index(_https("npm", url, NPM), values.get("cafile", ""))


def _https(client: str, url: str, remedy: str) -> str:
    if not url:
        raise Refused(UNSET.format(client=client, remedy=remedy))
    if not url.startswith("https://") or not urlsplit(url).hostname:
        raise Refused(NOT_HTTPS.format(client=client, remedy=remedy))
    return _slash(url)


def _slash(url: str) -> str:
    return f"{url.rstrip('/')}/"


def _pip_values() -> Mapping[str, str]:
    """What `pip config list` shows in its section `global`, overridden by the variables `PIP_…`. Raises
    `Refused`.
    """
    home, user = Path.home(), os.environ.get("XDG_CONFIG_HOME", "")
    shared = os.environ.get("XDG_CONFIG_DIRS", "/etc/xdg").split(":")
    files = [
        *(Path(folder) / "pip" / "pip.conf" for folder in shared),
        Path("/etc/pip.conf"),
        home / ".pip" / "pip.conf",
        (Path(user) if user else home / ".config") / "pip" / "pip.conf",
        Path(sys.prefix) / "pip.conf",
        *([Path(own)] if (own := os.environ.get("PIP_CONFIG_FILE")) else []),
    ]
    parser = configparser.RawConfigParser()
    try:
        parser.read(files, "utf-8")
    except (configparser.Error, OSError, UnicodeDecodeError) as error:
        raise Refused(UNREADABLE.format(client="pip", error=error)) from error
    values = dict(parser["global"]) if parser.has_section("global") else {}
    return values | _of_environment("PIP_")


def _npm_values() -> Mapping[str, str]:
    """What `npm config list` shows, without the settings of a project."""
    of_environment = _of_environment("NPM_CONFIG_")
    prefix = Path(of_environment.get("prefix", "/usr/local"))
    files = [
        Path("/etc/npmrc"),
        Path(of_environment.get("globalconfig", prefix / "etc" / "npmrc")),
        Path(of_environment.get("userconfig", Path.home() / ".npmrc")),
    ]
    values: dict[str, str] = {}
    try:
        for file in files:
            values |= _npmrc(file.read_text("utf-8").splitlines() if file.is_file() else [])
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(UNREADABLE.format(client="npm", error=error)) from error
    return values | of_environment


def _npmrc(lines: Iterable[str]) -> dict[str, str]:
    pairs = (line.partition("=") for line in lines if line.strip() and line.strip()[0] not in "#;")
    return {name.strip(): value.strip().strip("\"'") for name, _, value in pairs}


def _of_environment(prefix: str) -> dict[str, str]:
    """The environment variables with a prefix, in any case, by their names in files."""
    return {
        name[len(prefix) :].lower().replace("_", "-"): value
        for name, value in os.environ.items()
        if name.upper().startswith(prefix) and value
    }
