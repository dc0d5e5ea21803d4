"""Redis on a socket in the instance: private, durable, and nobody else's."""

import dataclasses
import os
import signal
import stat
import subprocess
import tempfile

import pytest

from tests.workers.conftest import Server, eventually, keep
from workers import embedded_redis
from workers.link import connect


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


def test_full_memory_is_an_error_and_never_a_loss(client):
    assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}


def test_long_path_gets_a_private_folder(settings, tmp_path_factory, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("short")))
    settings = long_settings(settings)
    server = Server(settings)
    server.start()
    try:
        path = embedded_redis.url(settings).removeprefix("unix://")
        assert len(path) < embedded_redis.LONGEST_SOCKET_PATH
        assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
        server.end()
        server.start()
        assert embedded_redis.url(settings) == f"unix://{path}"
        subprocess.run(["chmod", "755", os.path.dirname(path)], check=True)
        embedded_redis.command(settings)
        assert embedded_redis.url(settings) != f"unix://{path}"
    finally:
        server.end(signal.SIGKILL)


def test_orphan_is_retired_and_its_data_stay(settings, server, client):
    client.set("kept", "yes")
    embedded_redis.retire_orphan(settings)
    assert server.process.wait(20) == 0
    server.start()
    assert client.get("kept") == b"yes"


def test_server_of_somebody_else_is_left_alone(settings, tmp_path):
    path = embedded_redis.url(settings).removeprefix("unix://")
    other = subprocess.Popen(
        [embedded_redis.binary(), "--port", "0", "--unixsocket", path, "--dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
    )
    try:
        with connect(f"unix://{path}") as client:
            eventually(lambda: os.path.exists(path))
            with pytest.raises(embedded_redis.NoRedis, match="in use by another"):
                embedded_redis.retire_orphan(settings)
            assert client.ping()
    finally:
        other.kill()
        other.wait(10)


def test_nothing_to_retire(settings):
    embedded_redis.retire_orphan(settings)


def test_binary_on_the_path_is_next(monkeypatch, tmp_path):
    monkeypatch.setattr(embedded_redis, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(embedded_redis.NoRedis, match="install valkey or redis"):
        embedded_redis.binary()
    program = tmp_path / "redis-server"
    program.touch(mode=0o755)
    assert embedded_redis.binary() == program


def test_redis_of_ones_own(settings):
    settings = dataclasses.replace(settings, redis_url="redis://localhost:1/3")
    assert embedded_redis.url(settings) == "redis://localhost:1/3"
