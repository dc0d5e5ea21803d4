"""The embedded Redis: private, durable, and never confused with another server."""

import dataclasses
import os
import signal
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.service import PATIENCE_SECONDS, until
from tests.workers.conftest import RedisServer, keep
from workers import embedded_redis
from workers.redis_client import connect


def long_settings(settings):
    instance = settings.instance / ("long-" * 24)
    instance.mkdir(parents=True)
    return dataclasses.replace(settings, instance=instance)


def test_socket_is_private_and_no_port_is_open(settings, client):
    path = embedded_redis.url(settings).removeprefix("unix://")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o700
    assert client.config_get("port") == {"port": "0"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_data_survive(server, client, number):
    keep(client)
    server.end(number)
    server.start()
    assert client.get("kept") == b"yes"


def test_full_memory_never_evicts(client):
    assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}


def test_long_path_gets_a_private_folder(settings, tmp_path_factory, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("short")))
    settings = long_settings(settings)
    server = RedisServer(settings)
    server.start()
    try:
        path = embedded_redis.url(settings).removeprefix("unix://")
        assert len(path) < embedded_redis.MAX_SOCKET_PATH_BYTES
        assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
        server.end()
        server.start()
        assert embedded_redis.url(settings) == f"unix://{path}"
        subprocess.run(["chmod", "755", os.path.dirname(path)], check=True)
        embedded_redis.command(settings)
        assert embedded_redis.url(settings) != f"unix://{path}"
    finally:
        server.end(signal.SIGKILL)


def test_orphan_is_stopped_and_keeps_its_data(settings, server, client):
    client.set("kept", "yes")
    embedded_redis.stop_orphan(settings)
    assert server.process.wait(PATIENCE_SECONDS) == 0
    server.start()
    assert client.get("kept") == b"yes"


def test_a_long_folder_for_temporary_files_is_passed_over(settings, tmp_path, monkeypatch):
    settings, temporary = long_settings(settings), tmp_path / ("long-" * 24)
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    server = RedisServer(settings)
    server.start()
    path = Path(embedded_redis.url(settings).removeprefix("unix://"))
    server.end()
    assert str(path.parent.parent) == "/tmp"  # noqa: S108
    path.parent.rmdir()


def test_another_server_on_the_socket_is_left_alone(settings, tmp_path):
    embedded_redis.command(settings)  # finds a place for the socket, also for an instance with a long path
    path = embedded_redis.url(settings).removeprefix("unix://")
    other = subprocess.Popen(
        [embedded_redis.binary(), "--port", "0", "--unixsocket", path, "--dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
    )
    try:
        with connect(f"unix://{path}") as client:
            until(lambda: os.path.exists(path))
            with pytest.raises(embedded_redis.NoRedis, match="in use by another"):
                embedded_redis.stop_orphan(settings)
            assert client.ping()
    finally:
        other.kill()
        other.wait(PATIENCE_SECONDS)


def test_no_orphan(settings):
    embedded_redis.stop_orphan(settings)


def test_binary_on_the_path_is_second_choice(monkeypatch, tmp_path):
    monkeypatch.setattr(embedded_redis, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(embedded_redis.NoRedis, match="install valkey or redis"):
        embedded_redis.binary()
    program = tmp_path / "redis-server"
    program.touch(mode=0o755)
    assert embedded_redis.binary() == program


def test_configured_redis(settings):
    settings = dataclasses.replace(settings, redis_url="redis://localhost:1/3")
    assert embedded_redis.url(settings) == "redis://localhost:1/3"
