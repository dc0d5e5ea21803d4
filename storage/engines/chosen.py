"""The engine of the open database: that of SQLite, until a URL chooses another."""

import importlib
from typing import Any, cast

from storage.engines import sqlite
from storage.engines.protocol import Engine
from storage.errors import Unusable

SCHEMES = {"sqlite": "storage.engines.sqlite", "postgresql": "storage.engines.postgresql"}
UNKNOWN = "database_url must be sqlite:///PATH or postgresql://USER@HOST/DATABASE"
NO_DRIVER = "PostgreSQL needs the package psycopg: install audience[postgresql]"


class ChosenEngine:
    """Passes each attribute on to the module of the chosen engine."""

    def __init__(self) -> None:
        self._module: Any = sqlite

    def choose(self, url: str) -> None:
        """Chooses the engine for a database's URL and imports its driver. Raises `Unusable`."""
        self._module = engine_of(url)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def engine_of(url: str) -> Engine:
    """The engine for a database's URL. Raises `Unusable` for an unknown scheme or a missing driver."""
    name = SCHEMES.get(url.partition(":")[0])
    if name is None:
        raise Unusable(UNKNOWN)
    try:
        return cast(Engine, importlib.import_module(name))
    except ModuleNotFoundError as error:
        raise Unusable(NO_DRIVER) from error


_chosen = ChosenEngine()
choose = _chosen.choose
engine = cast(Engine, _chosen)
