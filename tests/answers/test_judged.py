"""The cases judged by hand: no more wrong answers than `allowed_wrong.csv` says; the tables are whole."""

import os
from collections import Counter

import pytest

from audience.answers.moderation.reasons import ModerationReason
from audience.answers.service import Answers
from audience.answers.validation.reasons import ValidationReason
from audience.config import Settings
from tests.answers.judged import TABLES, JudgedDomains, allowed_wrong, cases, sent, wrong_answers

AT_LEAST = {"signups": 300, "roles": 60, "texts": 100, "names": 150, "places": 60}
VERDICTS = {"valid", "invalid", "either", "junk"}
GENDERS = {"male", "female", "unknown"}


@pytest.fixture(scope="module")
def answers(geo_table, tmp_path_factory):
    instance = tmp_path_factory.mktemp("judged")
    os.link(geo_table, instance / geo_table.name)
    return Answers(Settings(instance=instance), JudgedDomains())


@pytest.mark.parametrize("table", TABLES)
def test_no_more_wrong_answers_than_before(table, answers):
    wrong = wrong_answers(table, answers)
    print(f"{table}: {len(wrong)} of {len(cases(table))} wrong")
    listed = "\n".join(f"{each.case}: {', '.join(each.problems)} ({each.why})" for each in wrong)
    assert len(wrong) <= allowed_wrong()[table], listed


@pytest.mark.parametrize("table", TABLES)
def test_every_case_says_why_and_comes_once(table):
    assert len(cases(table)) >= AT_LEAST[table]
    both = cases(table) + cases(table, fresh=True)
    assert all(None not in case and None not in case.values() and case["why"] for case in both)
    seen = Counter(map(sent, both))
    assert [case for case, times in seen.items() if times > 1] == []


def test_signups_are_of_forty_countries():
    assert len({case["country"] for case in cases("signups")}) >= 40


def test_roles_are_of_ten_languages():
    assert len({case["language"] for case in cases("roles")}) >= 10


@pytest.mark.parametrize(
    ("table", "reasons", "beside"),
    [("signups", ValidationReason, {"blame", "relay"}), ("texts", ModerationReason, {"threat"})],
)
def test_verdicts_and_reasons_are_known_words(table, reasons, beside):
    assert {case["verdict"] for case in cases(table)} <= VERDICTS
    named = {reason for case in cases(table) for reason in f"{case['must']} {case['must_not']}".split()}
    assert named <= {str(reason) for reason in reasons} | beside


def test_names_want_a_gender():
    both = cases("names") + cases("names", fresh=True)
    assert {gender for case in both for gender in case["wanted"].split()} <= GENDERS
    assert all(0.5 < float(case["ceiling"] or 1) <= 1 for case in both)
