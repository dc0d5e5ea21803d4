"""The Redis server that an earlier `serve` left running."""

import time
from pathlib import Path

from redis import Redis
from redis.exceptions import BusyLoadingError, RedisError

from workers.redis_client import PATIENT_SECONDS, connect

STOP_TIMEOUT_SECONDS = 10.0
POLL_SECONDS = 0.05
OF_OTHERS = "{socket} is in use by another server"
RUNS_ON = "an earlier server did not stop: stop the server that uses {socket}"


def stop(url: str, folder: Path) -> str:
    """Stops the server at `url`, if its data is in `folder`, and waits. Returns why it still runs, or ""."""
    with connect(url, PATIENT_SECONDS) as client:
        deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
        while _answers(client):
            if not _keeps(client, folder):
                return OF_OTHERS
            _shut_down(client)
            if time.monotonic() > deadline:
                return RUNS_ON
            time.sleep(POLL_SECONDS)
    return ""


def _answers(client: Redis) -> bool:
    """Whether a Redis answers. True also while it loads its data."""
    try:
        client.ping()
    except BusyLoadingError:
        return True
    except RedisError:
        return False
    return True


def _keeps(client: Redis, folder: Path) -> bool:
    """Whether a Redis keeps its data in the folder; False if it does not answer."""
    try:
        return client.config_get("dir") == {"dir": str(folder)}
    except RedisError:
        return False


def _shut_down(client: Redis) -> None:
    try:
        client.shutdown(nosave=True)
    except RedisError:
        return
