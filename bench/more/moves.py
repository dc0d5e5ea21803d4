"""`audience move` of an instance from SQLite into PostgreSQL, and back; `limit` is the goal, by people.

Run it on an idle machine: `make bench-moves`.
"""

import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from app import instance
from audience.config import Settings
from audience.operations import moves
from bench import instances
from bench.more import postgresql
from bench.rows import Row, parser, show

SECONDS_OF_A_MILLION = 300.0


def seconds(settings: Settings, url: str) -> float:
    """Of the move of an instance to a URL, with all that it compares at the end."""
    began = time.perf_counter()
    target = replace(settings, database_url=moves.target_url(url))
    moves.move(settings, target, instance(settings).openers, lambda *_: None)
    return time.perf_counter() - began


def measure(source: Path, total: int) -> list[Row]:
    with postgresql.server() as server, TemporaryDirectory() as folder:
        url = f"postgresql://bench@/postgres?host={server.folder}"
        there = seconds(Settings(instance=source), url)
        back = seconds(Settings(instance=source, database_url=url), f"sqlite:{folder}/audience.db")
    most = SECONDS_OF_A_MILLION * total / 1e6
    return [
        Row(
            what=f"move of an instance, {way}", ours=duration, unit="s", limit=most, of_limit=most / duration,
            at_least=1,
        )
        for way, duration in (("there", there), ("and back", back))
    ]  # fmt: skip


def main() -> None:
    options = parser(__doc__, 1_000_000).parse_args()
    with instances.filled(options.instance, options.subscribers) as source:
        show(measure(source, options.subscribers))


if __name__ == "__main__":
    main()
