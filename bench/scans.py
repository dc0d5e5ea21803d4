"""Queries of one process beside a scan of all subscribers, in turn with it."""

import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import NamedTuple

from bench.rows import MS, Row
from storage import database
from storage.engines.chosen import engine

LIMIT = "SELECT count(*), count(unsubscribed_at) FROM subscribers"
Call = Callable[[], object]


class Spent(NamedTuple):
    """In milliseconds."""

    wall: float
    cpu: float


def spent(call: Call) -> Spent:
    began, cpu = time.perf_counter(), time.process_time()
    call()
    return Spent((time.perf_counter() - began) * 1000, (time.process_time() - cpu) * 1000)


def scan() -> None:
    with database.session():
        database.row(f"{LIMIT} NOT INDEXED" if engine.NAME == "sqlite" else LIMIT)


def rows(calls: Mapping[str, Call], goals: Mapping[str, float], runs: int) -> list[Row]:
    """The medians of rounds, each a scan and every call; `goals` in milliseconds, by the calls' names."""
    limits, results = [], []
    for _ in range(runs):
        limits.append(spent(scan))
        results.append([spent(call) for call in calls.values()])
    limit = middle(limits)
    return [
        Row(
            what=name, ours=ours.wall, unit=MS, limit=limit.wall, of_limit=limit.wall / ours.wall,
            cpu_of_limit=limit.cpu / ours.cpu, at_most=goals[name],
        )
        for name, ours in zip(calls, map(middle, zip(*results, strict=True)), strict=True)
    ]  # fmt: skip


def middle(times: list[Spent] | tuple[Spent, ...]) -> Spent:
    return Spent(*map(median, zip(*times, strict=True)))
