"""The table of rules, its order, and its page."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from audience.answers.validation.reasons import ValidationReason
from audience.answers.validation.rules import RULES, Fatal, score

DOCS = Path(__file__).parents[2] / "docs" / "answers" / "validation.md"


@given(st.lists(st.sampled_from(RULES)), st.sampled_from(RULES))
def test_one_more_rule_never_raises_the_score(fired, another):
    assert score([*fired, another]) <= score(fired)


def test_dns_rules_are_last():
    assert [rule.asks_dns for rule in RULES] == sorted(rule.asks_dns for rule in RULES)


def test_every_reason_has_a_rule_in_the_order_of_the_list():
    decided = [ValidationReason.ALLOWED, ValidationReason.DENIED]
    answered = [reason for reason in ValidationReason if not reason.meaning.startswith("Retired: ")]
    assert [*decided, *dict.fromkeys(rule.reason for rule in RULES)] == answered


def test_the_documentation_names_the_rules_that_wiggleroom_relaxes():
    line = next(
        line for line in DOCS.read_text("utf-8").splitlines() if line.startswith("`wiggleroom: true`")
    )
    assert all(f"`{rule.reason}`" in line for rule in RULES if rule.fatal is Fatal.OPINION)
