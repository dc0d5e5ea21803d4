"""docs/performance.md, from what the benches print."""

import importlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bench import ends, plot
from bench.rows import Row

RATE, MS, CPU = "requests/s", "ms", "µs of CPU"
GROWING = {
    "import core, half new, a row": CPU, "import core, all new, a row": CPU, "find": RATE, "stats": RATE,
    "search, page of 100": RATE, "list, page 100": MS, "segment: five conditions": MS,
    "segment: field is text": MS, "report: Total people": MS, "second start": "s", "memory, idle": "MB",
    "memory, at work": "MB",
}  # fmt: skip
OTHERS = {
    "edge": "Beside slow and hostile clients", "engines": "On PostgreSQL",
    "engine_segments": "Segments on PostgreSQL", "peers.compared": "Beside others",
}  # fmt: skip
GOALS, PROFILES = "## Goals that were not reached", "## Where the time goes"
SECTIONS = re.compile("^(?=## )", re.MULTILINE)
LARGE = ("searches", "starts")
COLUMNS = ("What", "Measured", "Limit", "Of limit", "By CPU", "Goal")
HEAD = """# Performance

`make bench` writes this page: nothing in it is edited by hand. Each figure stands beside a limit that was
measured in the same run, in turn with it, and is the median of several. Compare the ratios, not the figures:
machines differ. "Of limit" is 1 where Audience is as quick as its limit; "by CPU" is the same in CPU time,
which other work on the machine disturbs less. Writing is durable: after an answer of 200 the disk has it.
"""


@dataclass
class Found:
    """What each bench printed, by its name, and why others printed nothing."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    profiles: Mapping[str, Any] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def add(self, bench: str, printed: Any) -> None:
        if bench == "profiles":
            self.profiles = printed
        else:
            self.rows[bench] = [Row(**row) for row in printed]

    def by_name(self) -> dict[str, Row]:
        return {row.what: row for rows in self.rows.values() for row in rows}


def page(facts: Mapping[str, str], whole: int, sizes: Mapping[int, Found], others: Found) -> str:
    """`whole` is the size with which all was measured; of larger ones, `LARGE` have sections."""
    larger = sorted(size for size in sizes if size > whole)
    parts = [HEAD, _table(("Of", "Value"), facts.items()), f"## With {whole:,} people\n"]
    parts += [section(bench, rows) for bench, rows in sizes[whole].rows.items()]
    for size in larger:
        parts.append(f"## With {size:,} people\n")
        parts += [section(bench, rows) for bench, rows in sizes[size].rows.items() if bench in LARGE]
    if len(sizes) > 1:
        parts.append(_growth(sizes))
    parts += [
        f"## {title}\n\n{section(bench, others.rows[bench])}"
        for bench, title in OTHERS.items()
        if bench in others.rows
    ]
    missed = [*sizes[whole].by_name().values(), *others.by_name().values()]
    missed += [row for size in larger for row in _large(size, sizes[size])]
    parts.append(_listed(_goals(missed)))
    if others.profiles:
        parts.append(_profiles(others.profiles))
    failed = [
        f"- {bench}, {size:,}: {why}" for size, found in sizes.items() for bench, why in found.failed.items()
    ]
    failed += [f"- {bench}: {why}" for bench, why in others.failed.items()]
    if failed:
        parts.append("\n".join(["## Did not run\n", *failed, ""]))
    return "\n".join(parts)


def anew(text: str, facts: Mapping[str, str], found: Found) -> str:
    """The page with those benches of `OTHERS` measured again, or for the first time."""
    parts = {part.partition("\n")[0]: part for part in SECTIONS.split(text)}
    goals = [line for line in parts[GOALS].splitlines()[2:] if line.startswith("- ")]
    for bench, rows in found.rows.items():
        title = f"## {OTHERS[bench]}"
        when = f"Measured by itself: {facts['Date']}, {facts['Commit']}, load before {facts['Load before']}."
        parts[title] = f"{title}\n\n{when}\n\n{section(bench, rows)}\n"
        known = tuple(f"- **{row.what}**:" for row in rows)
        goals = [line for line in goals if not line.startswith(known)] + _goals(rows)
    parts[GOALS] = _listed(goals) + "\n"
    ends_with = {title: parts.pop(title) for title in (GOALS, PROFILES)}
    return "".join((parts | ends_with).values())


def _large(size: int, found: Found) -> list[Row]:
    rows = [row for bench in LARGE for row in found.rows.get(bench, [])]
    return [replace(row, what=f"{row.what}, with {size:,} people") for row in rows]


def section(bench: str, rows: Iterable[Row]) -> str:
    """A bench: what its limit contains and leaves out, in the words of its module, and its rows."""
    cells = [
        [row.what, f"{_number(row.ours)} {row.unit}", _number(row.limit), _ratio(row.of_limit),
         _ratio(row.cpu_of_limit), row.goal]
        for row in rows
    ]  # fmt: skip
    return f"### `bench.{bench}`\n\n{_words(bench)}\n{_table(COLUMNS, cells)}"


def _words(bench: str) -> str:
    return str(importlib.import_module(f"bench.{bench}").__doc__)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))
    return "\n".join(lines) + "\n"


def _number(value: float | None) -> str:
    return (
        "" if value is None else format(value, ",.0f" if value >= 100 else ",.1f" if value >= 10 else ",.2f")
    )


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _growing(sizes: Mapping[int, Found]) -> dict[str, list[float]]:
    """The figures by size of those that every size has."""
    rows = [found.by_name() for _, found in sorted(sizes.items())]
    return {
        name: [each[name].ours for each in rows] for name in GROWING if all(name in each for each in rows)
    }


def _growth(sizes: Mapping[int, Found]) -> str:
    """With how much of the speed of the size before is left at the largest."""
    times = _times(sizes)
    cells = [
        [name, *map(_number, figures), GROWING[name], _ratio(times[name][-2] / times[name][-1])]
        for name, figures in _growing(sizes).items()
    ]
    head = ("What", *(f"{size:,} people" for size in sorted(sizes)), "Unit", "Last, of the speed before")
    image = "![Growth with the number of people](performance.svg)"
    return f"## Growth\n\n{_table(head, cells)}\n{ends.one_line(ends.GROWTH)}\n\n{image}\n"


def _times(sizes: Mapping[int, Found]) -> dict[str, list[float]]:
    """Each figure as a time, in multiples of that at the smallest size."""
    return {
        name: [figures[0] / each if GROWING[name] == RATE else each / figures[0] for each in figures]
        for name, figures in _growing(sizes).items()
    }


def plot_of(sizes: Mapping[int, Found]) -> str:
    return plot.svg(sorted(sizes), _times(sizes))


def _goals(rows: Iterable[Row]) -> list[str]:
    return [
        f"- **{row.what}**: {_reached(row)}, goal {row.goal}. {ends.of(row.what)}".rstrip()
        for row in rows
        if not row.is_reached
    ]


def _listed(goals: Sequence[str]) -> str:
    return "\n".join([f"{GOALS}\n", *(goals or ["None."]), ""])


def _reached(row: Row) -> str:
    return f"{_number(row.ours)} {row.unit}" if row.at_least is None else _ratio(row.of_limit)


def _profiles(found: Mapping[str, Any]) -> str:
    parts = [f"{PROFILES}\n\n{_words('profiles')}"]
    for title, items in found["profiles"].items():
        cells = [[f"`{name}`", f"{share:.1%}", f"{spent:.1f}"] for name, share, spent in items]
        parts.append(f"Of {title}:\n\n{_table(('Function', 'Share', 'µs'), cells)}")
    parts.append("The limit of the import core runs, for each transaction:\n")
    return "\n".join([*parts, *(f"- `{statement}`" for statement in found["statements"]), ""])
