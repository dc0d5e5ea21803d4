"""Writes `audience/data/validation/name_trigrams.txt`: the probabilities of letter trigrams in names.

Trained on the first names of Social Security (weighted by the logarithm of births), the census surnames
(of PyPI `names`) and names from some seventy countries (of PyPI `faker`), also joined as in local parts:
first name and surname, initial and surname. Interpolated with the pair and the single letter. Each line has
two letters (`^` is the start) and 27 characters, for `a` to `z` and the end: the code point minus 35 is -8
times the natural logarithm of the probability.
"""

import csv
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from importlib import import_module
from math import log, log1p
from pathlib import Path
from string import ascii_lowercase

from faker.providers import person

from audience.answers.folding import fold
from tables.registry import pypi

DATA = Path(__file__).parent.parent / "audience" / "data"
SURNAME_WEIGHT = 3.0  # as a first name with about twenty births
NAME_LIST = re.compile(r"(?:first|last)_(?:romanized_)?names(?:_\w+)?")
JOIN_SHARE, INITIAL_SHARE = 0.05, 0.02  # of the weight: surname after first name, surname after initial
STRENGTH = 20.0  # weight of the shorter context
Weights = defaultdict[str, float]


def first_names() -> dict[str, float]:
    with (DATA / "gender" / "ssa_first_names_1880_2017.csv").open(encoding="utf-8") as file:
        return {
            row["name"].lower(): log1p(int(row["male"]) + int(row["female"])) for row in csv.DictReader(file)
        }


def surnames() -> list[str]:
    return [
        line.split()[0].lower() for line in pypi("names")["names/dist.all.last"].decode("ascii").splitlines()
    ]


def world_names() -> set[str]:
    """First names and surnames in Faker, of all countries, folded."""
    folded: set[str] = set()
    for country in pkgutil.iter_modules(person.__path__):
        provider = import_module(f"{person.__name__}.{country.name}").Provider
        for attribute in filter(NAME_LIST.fullmatch, dir(provider)):
            names = getattr(provider, attribute)
            if isinstance(names, tuple | list | dict):
                folded.update(fold(name) for name in names if isinstance(name, str))
    return folded


def plain(names: Iterable[str]) -> list[str]:
    """The names of two letters or more, `a` to `z` only."""
    return sorted(name for name in names if name.isascii() and name.isalpha() and len(name) > 1)


def train(first: Mapping[str, float], last: Iterable[str]) -> dict[str, float]:
    """The natural logarithm of the probability of each trigram's third character after the first two."""
    counts: Weights = defaultdict(float)
    ends: Weights = defaultdict(float)
    initials: Weights = defaultdict(float)
    starts: Weights = defaultdict(float)
    for name, weight in first.items():
        ends[name[-2:]] += weight
        initials[name[0]] += weight
        _count(counts, name, weight)
    for name in last:
        starts[name[:2]] += SURNAME_WEIGHT
        _count(counts, name, SURNAME_WEIGHT)
    whole = sum(counts.values())
    _join(counts, ends, starts, JOIN_SHARE * whole)
    _join(counts, initials, starts, INITIAL_SHARE * whole)
    return _smooth(counts)


def _count(counts: Weights, name: str, weight: float) -> None:
    marked = f"^{name}$"
    for at in range(len(marked) - 2):
        counts[marked[at : at + 3]] += weight


def _join(counts: Weights, heads: Weights, tails: Weights, weight: float) -> None:
    """Counts the trigrams across the join of each head and tail; a head of one letter starts the word."""
    unit = weight / sum(heads.values()) / sum(tails.values())
    for head, head_weight in heads.items():
        seam = head if len(head) > 1 else f"^{head}"
        for tail, tail_weight in tails.items():
            for trigram in (seam + tail[:1], (seam + tail)[1:4]):
                if len(trigram) == 3:
                    counts[trigram] += unit * head_weight * tail_weight


def _smooth(counts: Weights) -> dict[str, float]:
    pairs: Weights = defaultdict(float)
    shorter: Weights = defaultdict(float)
    middles: Weights = defaultdict(float)
    singles: Weights = defaultdict(float)
    for trigram, weight in counts.items():
        pairs[trigram[:2]] += weight
        shorter[trigram[1:]] += weight
        middles[trigram[1]] += weight
        singles[trigram[2]] += weight
    whole = sum(singles.values())

    def probability(trigram: str) -> float:
        single = (singles[trigram[2]] + 1) / (whole + 27)
        pair = (shorter[trigram[1:]] + STRENGTH * single) / (middles[trigram[1]] + STRENGTH)
        return (counts[trigram] + STRENGTH * pair) / (pairs[trigram[:2]] + STRENGTH)

    before = [a + b for a in f"^{ascii_lowercase}" for b in ascii_lowercase]
    return {
        pair + after: log(probability(pair + after)) for pair in before for after in f"{ascii_lowercase}$"
    }


def _code(logarithm: float) -> str:
    return chr(35 + min(91, round(-8 * logarithm)))


def main() -> None:
    first = first_names()
    last = plain(surnames()) + plain(world_names())
    logs = train({name: first[name] for name in plain(first)}, last)
    rows = sorted({trigram[:2] for trigram in logs})
    lines = (
        row + "".join(_code(logs[row + after]) for after in f"{ascii_lowercase}$") + "\n" for row in rows
    )
    (DATA / "validation" / "name_trigrams.txt").write_text("".join(lines), "ascii")


if __name__ == "__main__":
    main()
