"""The application of a new instance in this process, for attacks that need no process of their own."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flask import Flask

from app import create_app, open_instance
from audience.config import Settings
from storage import database
from tests.client import FakeLimiter, FakeProcesses, FakeQueue
from tests.torture import stores


@contextlib.contextmanager
def opened_application(**settings: Any) -> Iterator[tuple[Flask, Settings]]:
    with tempfile.TemporaryDirectory(prefix="torture") as name:
        chosen = Settings(instance=Path(name), database_url=stores.new_url(), **settings)
        open_instance(chosen)
        try:
            yield create_app(chosen, FakeQueue(), FakeLimiter(), FakeProcesses()), chosen
        finally:
            database.close()
