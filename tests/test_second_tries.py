"""What passes at a second try only is looked into before it is many."""

from collections import Counter
from datetime import date
from types import SimpleNamespace
from typing import Any

from tests.second_tries import FILE, SecondTries

FEWER_THAN = 3  # a month


def test_what_passes_at_its_second_try_is_listed_once(tmp_path):
    listed = SecondTries(tmp_path / "listed.txt", "sqlite")
    for when, passed in (("setup", True), ("call", True), ("call", False), ("teardown", True)):
        report: Any = SimpleNamespace(when=when, passed=passed, nodeid="tests/test_x.py::test_y")
        listed.pytest_runtest_logreport(report)
    [line] = (tmp_path / "listed.txt").read_text().splitlines()
    day, _, what = line.partition(" ")
    assert date.fromisoformat(day)
    assert what == "tests/test_x.py::test_y (sqlite)"


def test_few_tests_a_month_need_a_second_try():
    months = Counter(date.fromisoformat(line[:10]).isoformat()[:7] for line in FILE.read_text().splitlines())
    many = [month for month, count in months.items() if count >= FEWER_THAN]
    assert many == [], f"too many of {many}: mend what they found, and delete their lines in {FILE.name}"
