"""Puts the cases judged by hand in `data/judged` to the answers, and lists the wrong answers."""

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import dns.name

from audience.answers.service import Answers
from audience.answers.validation.allow_deny import AllowDenyLists
from audience.answers.validation.validation import Candidate, ValidationResult
from audience.errors import Refused
from audience.protocols import DnsAnswer, DnsHealth, DnsStatus
from tests.answers.zones import NO_DATA, NXDOMAIN, PUBLIC

JUDGED = Path(__file__).parent / "data" / "judged"
RECORDS = {"MX": "10 mx.mailhost.net", "A": PUBLIC}
NOT_PERSONAL = {"role_address", "no_reply", "abuse_mailbox", "synthetic_mailbox"}
BLAME = {
    "syntax",
    "unknown_tld",
    "typo",
    "disposable",
    "synthetic_mailbox",
    "no_reply",
    "abuse_mailbox",
    "role_address",
    "gibberish",
    "name_link",
    "name_markup",
    "name_digits",
    "name_gibberish",
}
UNASKED = {"syntax", "unknown_tld", "typo"}  # which any invalid answer with a suggestion has
Case = dict[str, str]
Problems = Iterable[str]


class Wrong(NamedTuple):
    """A case, what is wrong with its answer, and why a person judged otherwise."""

    case: str
    problems: list[str]
    why: str


@cache
def cases(table: str, fresh: bool = False) -> list[Case]:
    """The cases of a table on which rules may be tuned or, if `fresh`, the others; empty without the file."""
    path = JUDGED / ("fresh" if fresh else "") / f"{table}.csv"
    if fresh and not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def allowed_wrong() -> dict[str, int]:
    return {row["table"]: int(row["count"]) for row in cases("allowed_wrong")}


def _domain(email: str) -> str:
    try:
        return dns.name.from_text(email.rpartition("@")[2]).to_text(omit_final_dot=True)
    except dns.exception.DNSException:
        return ""


class JudgedDomains:
    """A resolver in which every domain has a mail exchanger. Exceptions are the domains that the table says
    do not exist, and unknown names below a domain of the table.
    """

    def __init__(self, fresh: bool = False) -> None:
        signups, roles = cases("signups", fresh), cases("roles", fresh)
        self._absent = {_domain(case["email"]) for case in signups if case["dns"]}
        self._present = {_domain(case["email"]) for case in signups + roles} - self._absent

    def ask(self, questions: Sequence[tuple[str, str]], timeout: float | None = None) -> list[DnsAnswer]:
        return [self._answer(name.rstrip(".").lower(), kind) for name, kind in questions]

    def health(self, denied: str = "", well_known: bool = False) -> DnsHealth:
        return DnsHealth.WORKS

    def _answer(self, name: str, kind: str) -> DnsAnswer:
        if name in self._absent or (name not in self._present and name.partition(".")[2] in self._present):
            return NXDOMAIN
        record = RECORDS.get(kind)
        return DnsAnswer(DnsStatus.OK, (record,)) if record else NO_DATA


def _reasons(given: Iterable[str], case: Case) -> Iterator[str]:
    wanted, unwanted = set(case["must"].split()), set(case["must_not"].split())
    if "blame" in unwanted:
        unwanted |= (
            BLAME - wanted - (UNASKED if case["suggestion"] and case["verdict"] == "invalid" else set())
        )
    yield from (f"without {reason}" for reason in wanted if reason not in given)
    yield from (reason for reason in given if reason in unwanted)


def _verdict(valid: bool, case: Case) -> Iterator[str]:
    said = "valid" if valid else "invalid"
    if case["verdict"] not in (said, "either"):
        yield said


def _candidate(case: Case) -> Candidate:
    given = {column: case.get(column) or None for column in ("name", "ip", "user_agent")}
    return Candidate(email=case["email"], **given)


def _validate(answers: Answers, case: Case) -> ValidationResult:
    return answers.validate(_candidate(case), AllowDenyLists())


def signup(answers: Answers, case: Case) -> Problems:
    result = _validate(answers, case)
    if case["verdict"] == "junk":
        strict = answers.validate_strictly(_candidate(case), AllowDenyLists(), None, None)
        yield from ["valid by the strict rules"] * strict.valid
    else:
        yield from _verdict(result.valid, case)
    yield from _reasons(result.reasons, case)
    if case["suggestion"] and case["suggestion"] != (result.suggestion or "none"):
        yield f"suggestion {result.suggestion or 'none'}"


def role(answers: Answers, case: Case) -> Problems:
    reasons = set(_validate(answers, case).reasons)
    if case["wanted"] == "person":
        yield from sorted(reasons & NOT_PERSONAL)
    elif not reasons & set(case["wanted"].split()):
        yield f"without {case['wanted']}"


def text(answers: Answers, case: Case) -> Problems:
    result = answers.moderate(case["text"])
    yield from _verdict(result.valid, case)
    yield from _reasons(result.reasons, case)


def name(answers: Answers, case: Case) -> Problems:
    result = answers.guess_gender(case["name"])
    too_sure = result.gender != "unknown" and result.confidence > float(case["ceiling"] or 1)
    if result.gender not in case["wanted"].split() or too_sure:
        yield f"{result.gender} {result.confidence:.2f}"


def place(answers: Answers, case: Case) -> Problems:
    try:
        found = answers.locate(case["ip"])
    except Refused:
        yield "refused"
        return
    said = {"country": "country_code2", "region": "region_name", "city": "city_name"}
    for column, key in said.items():
        if case[column] and found.get(key) not in case[column].split("/"):
            yield f"{column} {found.get(key)}"
    if "(" in found.get("city_name", ""):
        yield f"district: {found['city_name']}"


def _two_names_of_a_region(answers: Answers) -> Iterator[Wrong]:
    names: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for case in cases("places"):
        if case["region"]:
            names[case["country"], case["region"]].add(str(answers.locate(case["ip"]).get("region_name")))
    for (country, region), found in names.items():
        if len(found) > 1:
            yield Wrong(f"{country} {region}", sorted(found), "one region has one name")


TABLES: dict[str, Callable[[Answers, Case], Problems]] = {
    "signups": signup,
    "roles": role,
    "texts": text,
    "names": name,
    "places": place,
}
SENT = ("email", "text", "name", "ip", "user_agent")  # the columns that are put to the answers


def sent(case: Case) -> str:
    return " · ".join(case[column] for column in SENT if case.get(column))


def wrong_answers(table: str, answers: Answers, fresh: bool = False) -> list[Wrong]:
    """The cases of a table that are answered otherwise than a person would."""
    judged = ((case, list(TABLES[table](answers, case))) for case in cases(table, fresh))
    wrong = [Wrong(sent(case), problems, case["why"]) for case, problems in judged if problems]
    return wrong + (list(_two_names_of_a_region(answers)) if table == "places" and not fresh else [])
