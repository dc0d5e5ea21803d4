"""What a bench found: rows, each beside a limit that was measured in the same run."""

import argparse
import json
from dataclasses import asdict, dataclass

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

    @property
    def is_reached(self) -> bool:
        if self.at_least is not None:
            return self.of_limit is not None and self.of_limit >= self.at_least
        return self.at_most is None or self.ours <= self.at_most


def parser(description: str | None, subscribers: int) -> argparse.ArgumentParser:
    """The options that all benches have."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--subscribers", type=int, default=subscribers)
    options.add_argument("--instance", help="a folder filled by `bench.instances`, in place of a new one")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--json", action="store_true")
    return options


def show(rows: list[Row], as_json: bool) -> None:
    if as_json:
        print(json.dumps([asdict(row) for row in rows]))
        return
    print(f"{'':52}{'ours':>10}{'limit':>10} {'unit':12}{'of limit':>9}{'by CPU':>8}  goal")
    for row in rows:
        numbers = "".join(
            f"{'' if number is None else format(number, form):>{width}}"
            for number, form, width in ((row.ours, ",.1f", 10), (row.limit, ",.1f", 10))
        )
        ratios = "".join(
            f"{'' if number is None else format(number, '.2f'):>{width}}"
            for number, width in ((row.of_limit, 9), (row.cpu_of_limit, 8))
        )
        print(f"{row.what:52}{numbers} {row.unit:12}{ratios}  {row.goal}")
