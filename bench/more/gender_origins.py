"""How far the confidence of a gender holds for names of other origins: expected against seen, in bins.

Each name that gender-guesser's list gives to a country is asked with two surnames of that country, and counts
by its frequency there (2 to the power of the list's figure). "Mostly male" counts as three men of four and
"andy" as one of two. `python -m bench.more.gender_origins` prints the table.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from gender_guesser.detector import Detector

from audience.answers.gender import gender

BINS = (0.5, 0.8, 0.9, 0.97, 1.01)
SHARE = {"male": 1.0, "mostly_male": 0.75, "andy": 0.5, "mostly_female": 0.25, "female": 0.0}
SURNAMES = {
    "usa": ("Smith", "Miller"),
    "great_britain": ("Sturgeon", "Clarke"),
    "italy": ("Rossi", "Bianchi"),
    "spain": ("García", "Puig"),
    "portugal": ("Ferreira", "Ribeiro"),
    "france": ("Fournier", "Rousseau"),
    "germany": ("Hoffmann", "Müller"),
    "norway": ("Lie", "Bakken"),
    "sweden": ("Larsson", "Lindqvist"),
    "finland": ("Virtanen", "Aalto"),
    "poland": ("Kowalski", "Nowak"),
    "czech_republic": ("Novák", "Dvořák"),
    "hungary": ("Nagy", "Kertész"),
    "romania": ("Popescu", "Ionescu"),
    "serbia": ("Petrović", "Tadić"),
    "russia": ("Petrov", "Mikhalkov"),
    "turkey": ("Yıldırım", "Demir"),
    "japan": ("Tanaka", "Kurosawa"),
    "china": ("Li", "Wang"),
    "korea": ("Kim", "Park"),
    "vietnam": ("Nguyen", "Tran"),
}
FAMILY_FIRST = frozenset({"hungary", "japan", "china", "korea", "vietnam"})
Sums = defaultdict[int, list[float]]


def names_of(detector: Detector, country: str) -> Iterator[tuple[str, float, float]]:
    """Full names, the share of men among them, and how frequent they are."""
    column = detector.COUNTRIES.index(country)
    for name, kinds in detector.names.items():
        for kind, frequencies in kinds.items():
            mark = frequencies[column : column + 1].strip()
            if mark:
                for surname in SURNAMES[country]:
                    words = (surname, name) if country in FAMILY_FIRST else (name, surname)
                    yield " ".join(words), SHARE[kind], 2 ** int(mark, 16)


def calibration(country: str, detector: Detector, names: gender.Names) -> str:
    sums: Sums = defaultdict(lambda: [0.0, 0.0, 0.0])
    total = unknown = right = 0.0
    for name, men, weight in names_of(detector, country):
        answer = gender.guess_gender(name, names)
        total += weight
        if answer.gender == "unknown":
            unknown += weight
            continue
        hit = men if answer.gender == "male" else 1 - men
        right += weight * hit
        index = next(at for at, edge in enumerate(BINS[1:]) if answer.confidence < edge)
        sums[index] = [a + weight * b for a, b in zip(sums[index], (1, answer.confidence, hit), strict=True)]
    cells = (_cell(sums[at]) for at in range(len(BINS) - 1))
    answered = total - unknown
    return f"| {country} | {unknown / total:.2f} | {1 - right / answered:.3f} | {' | '.join(cells)} |"


def _cell(sums: list[float]) -> str:
    number, expected, observed = sums
    return f"{expected / number:.2f} / {observed / number:.2f}" if number else ""


def main() -> None:
    detector, names = Detector(case_sensitive=False), gender.open_names()
    bins = " | ".join(f"{low:g} to {min(high, 1):g}" for low, high in pairwise(BINS))
    print(f"| Country | unknown | wrong | {bins} |\n|{'---|' * (len(BINS) + 2)}")
    for country in SURNAMES:
        print(calibration(country, detector, names))


if __name__ == "__main__":
    main()
