"""What a bench found: rows, each beside a limit that was measured in the same run."""

import argparse
from dataclasses import dataclass

CPU = "µs of CPU"
RATE = "requests/s"
MS = "ms"


@dataclass(frozen=True, kw_only=True)
class Row:
    """`of_limit` is 1 where a row is as good as its limit; `cpu_of_limit` is the same in CPU time.

    A goal is `at_least` of the limit, or `at_most` in the row's unit.
    """

    what: str
    ours: float
    unit: str
    limit: float | None = None
    of_limit: float | None = None
    cpu_of_limit: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    @property
    def goal(self) -> str:
        if self.at_least is not None:
            return f"at least {self.at_least:.2f}"
        return "" if self.at_most is None else f"at most {self.at_most:g}"


def parser(description: str | None, subscribers: int) -> argparse.ArgumentParser:
    """The options that all benches have."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--subscribers", type=int, default=subscribers)
    options.add_argument("--instance", help="a folder filled by `bench.instances`, in place of a new one")
    options.add_argument("--runs", type=int, default=5)
    return options


def show(rows: list[Row]) -> None:
    """As a table of Markdown, which docs/performance.md can take."""
    print(_line(("What", "Measured", "Limit", "Of limit", "By CPU", "Goal")))
    print(_line(("---",) * 6))
    for row in rows:
        ours = f"{_number(row.ours)} {row.unit}"
        print(
            _line(
                (row.what, ours, _number(row.limit), _ratio(row.of_limit), _ratio(row.cpu_of_limit), row.goal)
            )
        )


def _line(cells: tuple[str, ...]) -> str:
    what, *others = cells
    return f"| {what:56} | {' | '.join(f'{cell:>16}' for cell in others)} |"


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return format(value, ",.0f" if value >= 100 else ",.1f" if value >= 10 else ",.2f")


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
