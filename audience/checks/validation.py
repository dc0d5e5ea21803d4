"""Judges e-mail addresses and the sign-ups that they come with (spec sections 4.2 and 4.3)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from audience.checks.address import AddressList
from audience.checks.evidence import Candidate, Evidence, Sources
from audience.checks.reasons import ValidationReason
from audience.checks.rules import RULES, Fatal, Rule, score

__all__ = ["Candidate", "Ruleset", "Sources", "Verdict", "judge"]


@dataclass(frozen=True, kw_only=True)
class Ruleset:
    """Which rules count, and how much. `block_free_providers` (True rejects free mail, False reports nothing
    of it) and `wiggleroom` belong to the strict rule set. The lists decide before every rule: the closer
    entry wins, `deny` where both are as close."""

    strict: bool = False
    block_free_providers: bool | None = None
    wiggleroom: bool | None = None
    threshold: float = 0.5
    allow: AddressList = field(default_factory=AddressList)
    deny: AddressList = field(default_factory=AddressList)

    def reports(self, rule: Rule) -> bool:
        return not (self.strict and self.block_free_providers is False and rule.fatal is Fatal.ON_REQUEST)

    def accepts(self, fired: Sequence[Rule]) -> bool:
        fatal = {Fatal.ALWAYS}
        if self.strict:
            fatal.add(Fatal.STRICT)
            fatal |= set() if self.wiggleroom else {Fatal.OPINION}
            fatal |= {Fatal.ON_REQUEST} if self.block_free_providers else set()
        return score(fired) >= self.threshold and not any(rule.fatal in fatal for rule in fired)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """`reasons` in the order of the table of rules; `score` from 1.0, surely good, to 0.0, surely bad;
    `suggestion` is the address that was probably meant."""

    valid: bool
    reasons: tuple[ValidationReason, ...]
    score: float
    suggestion: str | None = None


def judge(candidate: Candidate, ruleset: Ruleset, sources: Sources) -> Verdict:
    """Never raises for what the candidate holds. The DNS is asked only where the rest has not decided."""
    evidence = Evidence(candidate, sources)
    allowed = ruleset.allow.precision(evidence.roughly)
    denied = ruleset.deny.precision(evidence.roughly)
    if allowed > denied:
        return Verdict(valid=True, reasons=(ValidationReason.ALLOWED,), score=1.0)
    if denied:
        return Verdict(valid=False, reasons=(ValidationReason.DENIED,), score=0.0)
    rules = list(filter(ruleset.reports, RULES))
    fired = [rule for rule in rules if not rule.asks_dns and rule.fires(evidence)]
    if ruleset.accepts(fired):
        fired += [rule for rule in rules if rule.asks_dns and rule.fires(evidence)]
    return Verdict(
        valid=ruleset.accepts(fired),
        reasons=tuple(rule.reason for rule in fired),
        score=score(fired),
        suggestion=evidence.suggestion,
    )
